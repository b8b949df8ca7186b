// Who takes no part in a round of averaging: it neither sends nor receives, keeps what it has and
// may be back in the next round. Known to all beforehand; a peer that is lost in the middle of a
// round is another matter (OnLoss).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "starling/topology/topology.hpp"

namespace starling::mixing {

/// Ranks, ascending.
using Absent = std::span<const std::size_t>;

/// Whether `rank` is among them.
[[nodiscard]] bool is_absent(Absent absent, std::size_t rank);

/// What an experiment draws.
struct FailureModel {
  double rate = 0.0;  ///< probability that a peer fails in a round, each for itself
  std::uint64_t seed = 1;
};

/// The absences of all peers in all rounds of an experiment. Every (round, rank) has a number of
/// its own under the seed, so no draw depends on how many came before it.
class Absences {
 public:
  /// Nobody is ever absent.
  Absences() = default;

  /// @pre 0 <= model.rate <= 1
  Absences(std::size_t peers, std::uint64_t rounds, const FailureModel& model);

  /// Those who miss `round`; nobody beyond the rounds drawn.
  [[nodiscard]] Absent in(std::uint64_t round) const;

 private:
  std::vector<std::vector<std::size_t>> by_round_;
};

/// The row of x <- W x without the absent: what they would have weighed stays with one's own model,
/// so the row still sums to 1. Where W is symmetric its columns do, too; elsewhere the mean moves.
/// Idle for whom is absent itself.
[[nodiscard]] topology::MixingRow row_without(topology::MixingRow row,
                                              std::size_t rank,
                                              Absent absent);

/// The same for push-sum: the shares that cannot be sent stay at home, so the column still sums to
/// 1 and no mass is lost.
[[nodiscard]] topology::MixingRow shares_without(topology::MixingRow row,
                                                 std::size_t rank,
                                                 Absent absent);

}  // namespace starling::mixing
