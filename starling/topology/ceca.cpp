#include "starling/topology/ceca.hpp"

#include <string>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/topology/family.hpp"

namespace starling::topology {

namespace {

/// A perfect matching of all ranks needs an even number of them.
void refuse_odd(std::size_t peers) {
  const std::string n = std::to_string(peers);
  throw ConfigError(
      "ports: 1 port pairs all peers in every round, which takes an even number of "
      "them, found " +
      n + "; use --ports 2 for any number, or --algorithm dsgd --topology base:1, " +
      "which pairs most of them in a round; nearest with 1 port: " + std::to_string(peers - 1) +
      ", " + std::to_string(peers + 1));
}

}  // namespace

CecaSchedule::CecaSchedule(std::size_t peers, CecaPorts ports) : peers_(peers), ports_(ports) {
  ensure(peers >= 1, "a schedule is for at least one peer", peers);
  if (ports == CecaPorts::one && peers > 1 && peers % 2 == 1) {
    refuse_odd(peers);
  }
  std::size_t covered = 0;
  for (std::size_t left = ceil_log2(peers); left > 0; --left) {
    const std::size_t digit = ((peers - 1) >> (left - 1)) & 1U;
    rounds_.push_back({digit == 1, covered});
    covered = 2 * covered + digit;
  }
}

CecaExchange CecaSchedule::exchange(std::size_t round, std::size_t rank) const {
  ensure(round < rounds_.size() && rank < peers_, "a round and a rank", round, rank, peers_);
  const auto [digit, m] = rounds_[round];
  const double larger = static_cast<double>(m + 1) / static_cast<double>(2 * m + 1);
  CecaExchange exchange{.sends_model = digit,
                        .covered = m,
                        .model_share = digit ? 0.5 : 1.0 - larger,
                        .other_share = digit ? larger : 0.5};
  const auto ahead = [&](std::size_t distance) { return (rank + distance) % peers_; };
  const auto behind = [&](std::size_t distance) { return (rank + peers_ - distance) % peers_; };
  if (ports_ == CecaPorts::two) {
    const std::size_t distance = m + (digit ? 1 : 0);  // at most n / 2
    exchange.to = ahead(distance);
    exchange.from = behind(distance);
  } else {
    const std::size_t distance = 2 * m + 1;  // at most n - 1
    exchange.to = exchange.from = rank % 2 == 1 ? ahead(distance) : behind(distance);
  }
  return exchange;
}

}  // namespace starling::topology
