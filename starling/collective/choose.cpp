#include "starling/collective/choose.hpp"

#include <bit>

#include "starling/collective/catalog.hpp"

namespace starling::collective {

namespace {

const MeasuredChoice* measured_for(const Shape& shape, const Selection& selection) {
  const std::size_t bytes = shape.elements * sizeof(float);
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

/// Two peers: one exchange of everything, or two of halves with half the additions, whichever is
/// less.
std::string for_two(double bytes, const LinkModel& link) {
  const bool at_once = link.alpha_seconds >= bytes / 2 * link.gamma_seconds_per_byte;
  return at_once ? "recursive-doubling" : "halving-doubling";
}

std::string for_all_reduce(const Shape& shape, const LinkModel& link) {
  const auto bytes = static_cast<double>(shape.elements * sizeof(float));
  if (shape.peers == 2) {
    return for_two(bytes, link);
  }
  if (!std::has_single_bit(shape.peers)) {
    return "circulant";
  }
  const bool is_short =
      bytes < short_vector_bytes(shape.peers, link) || shape.elements < shape.peers;
  return is_short ? "recursive-doubling" : "halving-doubling";
}

}  // namespace

double short_vector_bytes(std::size_t peers, const LinkModel& link) {
  constexpr double kFewPeers = 64.0 * 1024.0;
  const auto rounds = static_cast<double>(ceil_log2(peers));
  if (rounds < 3) {
    return kFewPeers;
  }
  return rounds * link.alpha_seconds /
         ((rounds - 2) * link.beta_seconds_per_byte + (rounds - 1) * link.gamma_seconds_per_byte);
}

std::string choose(const Shape& shape, const Selection& selection) {
  if (const MeasuredChoice* best = measured_for(shape, selection)) {
    return find_algorithm(best->algorithm, shape.operation).name;
  }
  switch (shape.operation) {
    case Operation::all_reduce:
      return for_all_reduce(shape, selection.link);
    case Operation::broadcast:
    case Operation::reduce:
      return "binomial";
    case Operation::all_gather:
    case Operation::reduce_scatter:
    case Operation::barrier:
      break;
  }
  return "circulant";
}

}  // namespace starling::collective
