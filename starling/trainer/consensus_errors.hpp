// How far the estimates of all peers are from each other and from the mean they began with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace starling::trainer {

/// One round of n peers with vectors x_i of D elements; m is the mean of the x_i now, m_0 that of
/// the vectors in the beginning.
struct RoundErrors {
  double variance = 0.0;                  ///< sum_i ||x_i - m||^2 / (n D)
  double distance_to_initial_mean = 0.0;  ///< sqrt(sum_i ||x_i - m_0||^2 / (n D))
  /// sqrt(sum_i ||x_i - m||^2 / D): the norm of the error over the peers, for one element.
  double consensus_error = 0.0;
};

/// Collects what the peers of one run report, in double, with sums in rank order: the same numbers
/// in whatever order the reports come. Keeps the vectors of a round until the last peer has
/// reported it. put() may be called concurrently.
class ConsensusErrors {
 public:
  /// @param initial the vectors of all ranks, one behind the other; only read here
  /// @pre peers >= 1 divides initial.size()
  ConsensusErrors(std::span<const float> initial, std::size_t peers, std::uint64_t rounds);

  /// The estimate of `rank` after round `round` (from 0). @pre once for each
  void put(std::uint64_t round, std::size_t rank, std::span<const float> estimate);

  /// By round, those that all peers have reported. Once nobody calls put() any more.
  [[nodiscard]] const std::vector<RoundErrors>& by_round() const { return by_round_; }

  /// The errors of vectors that lie one behind the other.
  [[nodiscard]] RoundErrors errors_of(std::span<const float> vectors) const;

 private:
  struct Open {
    std::vector<float> vectors;
    std::size_t missing = 0;
  };

  std::size_t peers_;
  std::size_t elements_ = 0;
  std::vector<double> initial_mean_;
  std::vector<RoundErrors> by_round_;  // each written once, by who completes the round
  std::mutex mutex_;                   // guards the rounds under way
  std::map<std::uint64_t, Open> open_;
};

}  // namespace starling::trainer
