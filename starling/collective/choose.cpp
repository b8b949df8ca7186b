#include "starling/collective/choose.hpp"

#include <bit>

#include "starling/collective/catalog.hpp"

namespace starling::collective {

namespace {

const MeasuredChoice* measured_for(const Shape& shape, const Selection& selection) {
  const std::size_t bytes = shape.bytes();
  const MeasuredChoice* best = nullptr;
  for (const MeasuredChoice& each : selection.measured) {
    if (each.operation != shape.operation || each.peers != shape.peers || each.bytes_from > bytes) {
      continue;
    }
    if (best == nullptr || each.bytes_from >= best->bytes_from) {
      best = &each;
    }
  }
  return best;
}

/// Two peers exchange everything at once; halves cost another round but touch less memory, which
/// tells only where the vectors leave the caches.
constexpr std::size_t kHalvesForTwoMin = std::size_t{8} << 20U;

/// From here on a ring, whose messages lie in one piece and go to one neighbour, may beat fewer
/// rounds.
constexpr std::size_t kRingMin = std::size_t{1} << 20U;

/// Share of the time for the bytes that the ring's additional rounds may cost.
constexpr double kRingRoundsShare = 0.1;

bool ring_pays(std::size_t peers, std::size_t bytes, const LinkModel& link) {
  const auto n = static_cast<double>(peers);
  const double rounds = 2.0 * static_cast<double>(peers - 1 - ceil_log2(peers));
  const double moving =
      2.0 * (n - 1.0) / n * static_cast<double>(bytes) * link.beta_seconds_per_byte;
  return bytes >= kRingMin && rounds * link.round_seconds() <= kRingRoundsShare * moving;
}

std::string_view for_all_reduce(const Shape& shape, const LinkModel& link) {
  const std::size_t bytes = shape.bytes();
  if (shape.peers <= 2) {
    return bytes < kHalvesForTwoMin ? "recursive-doubling" : "halving-doubling";
  }
  if (ring_pays(shape.peers, bytes, link)) {
    return "ring";
  }
  if (!std::has_single_bit(shape.peers)) {
    return "circulant";
  }
  const bool is_short = static_cast<double>(bytes) < short_vector_bytes(shape.peers, link) ||
                        shape.elements < shape.peers;
  return is_short ? "recursive-doubling" : "halving-doubling";
}

/// A tree sends whole vectors, L of them one after the other; in parts that are scattered and
/// gathered less than two travel, in twice the rounds.
std::string_view for_one_root(const Shape& shape, const LinkModel& link) {
  const auto n = static_cast<double>(shape.peers);
  const auto rounds = static_cast<double>(ceil_log2(shape.peers));
  const double moving = static_cast<double>(shape.bytes()) * link.beta_seconds_per_byte;
  const double whole = rounds * (link.round_seconds() + moving);
  const double parts = 2.0 * rounds * link.round_seconds() + 2.0 * (n - 1.0) / n * moving;
  return parts < whole ? "scatter-all-gather" : "binomial";
}

}  // namespace

double short_vector_bytes(std::size_t peers, const LinkModel& link) {
  constexpr double kFewPeers = 64.0 * 1024.0;
  const auto rounds = static_cast<double>(ceil_log2(peers));
  if (rounds < 3) {
    return kFewPeers;
  }
  return rounds * link.round_seconds() /
         ((rounds - 2) * link.beta_seconds_per_byte + (rounds - 1) * link.gamma_seconds_per_byte);
}

std::string_view choose(const Shape& shape, const Selection& selection) {
  if (const MeasuredChoice* best = measured_for(shape, selection)) {
    return find_algorithm(best->algorithm, shape.operation).entry->name;
  }
  switch (shape.operation) {
    case Operation::all_reduce:
      return for_all_reduce(shape, selection.link);
    case Operation::broadcast:
    case Operation::reduce:
      return for_one_root(shape, selection.link);
    case Operation::all_gather:
    case Operation::reduce_scatter:
    case Operation::barrier:
      break;
    case Operation::scatter:
    case Operation::gather:
      return "binomial";
    case Operation::all_to_all:
      return "pairwise";
  }
  return "circulant";
}

}  // namespace starling::collective
