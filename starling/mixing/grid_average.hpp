// Averaging in the groups of a grid, one axis after the other: the "torus all-reduce" of Moshpit
// SGD. Not a collective: between two rounds everybody has a usable result, and a lost peer costs
// its own group something and the others nothing. The torus collectives of collective/ cut the
// vector over all axes instead and are exact or nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "starling/core/buffer.hpp"
#include "starling/mixing/absences.hpp"
#include "starling/mixing/options.hpp"
#include "starling/peer/group.hpp"
#include "starling/topology/grid_groups.hpp"

namespace starling::mixing {

/// What a model weighs in its group.
enum class GridWeights : std::uint8_t {
  /// The number of models behind it in this cycle of D rounds: after a cycle everybody whose groups
  /// were complete has the exact mean of all who took part, whatever the sizes of the other groups.
  counts,
  /// The same for all, as in Moshpit SGD: every round keeps the mean of all peers, present or not,
  /// so cycles may follow each other without end.
  equal,
};

/// "counts", "equal".
const char* to_string(GridWeights weights) noexcept;

struct GridAverageOptions {
  GridWeights weights = GridWeights::counts;
  std::string collective = "auto";  ///< how a group averages: starling list collectives
};

/// x_i <- sum_j c_j x_j / sum_j c_j, c_i <- sum_j c_j over the peers j of i's line along axis
/// r mod D in round r (the count c_i starts every cycle at 1). On a full grid of d_0 x .. x d_(D-1)
/// all have the mean after D rounds, exact to rounding; on one with empty cells they come closer
/// with every cycle. Groups of one line wait for nobody else.
///
/// A round is one all-reduce of model bytes (with counts 4 bytes more) in a group of up to d_r
/// peers: about 2 (1 - 1/d_r) model bytes sent per peer. With OnLoss::continue_ the members tell
/// each other, 4 bytes each, whether they have the sum before anyone takes it. If all have it that
/// are left, they take it; else they leave the lost one out and average again, from models that
/// were not touched, so one loss a round leaves the survivors of a group equal. The lost one stays
/// out for good. Every attempt gets half of the time that is left. A member that was absent when
/// its group lost somebody does not know, and is lost to the group next time.
class GridAverage {
 public:
  /// Rank in `group` is rank in `grid`. @pre equal sizes, at most 2^24 peers; `group` outlives this
  GridAverage(const Group& group,
              std::shared_ptr<const topology::GridGroups> grid,  // shared by the peers of a process
              GridAverageOptions options = {});
  GridAverage(const GridAverage&) = delete;
  GridAverage& operator=(const GridAverage&) = delete;
  ~GridAverage();

  /// Round options.round. All members of a group call it with the same round and the same absent.
  /// @throws PeerLost, NotFiniteError by the policies; the model is as it was
  MixingReport round(std::span<float> model, const MixingOptions& options, Absent absent = {});

  /// c_i: models behind this peer's in this cycle. 1 with equal weights.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  struct Line;
  struct Attempt;

  const Group& group_;
  std::shared_ptr<const topology::GridGroups> grid_;
  GridAverageOptions options_;
  std::vector<std::unique_ptr<Line>> lines_;  // by axis, as last used
  std::vector<std::uint32_t> losses_;         // by axis: how often its group had to be formed anew
  std::vector<std::size_t> gone_;             // ranks lost for good, ascending
  std::uint64_t count_ = 1;

  [[nodiscard]] bool own_is_usable(std::span<const float> model,
                                   const MixingOptions& options,
                                   MixingReport& report) const;
  Line& line_along(std::size_t axis, Absent absent);
  [[nodiscard]] std::uint64_t nominal_count(std::size_t axis) const;
  [[nodiscard]] Attempt attempt_on(Line& line,
                                   std::size_t axis,
                                   std::uint64_t own_weight,
                                   const MixingOptions& options) const;
  [[nodiscard]] Buffer reduce(const Attempt& attempt, std::span<const float> model) const;
  void take(const Attempt& attempt, const Buffer& sums, std::span<float> model);
  bool reduce_or_regroup(const Attempt& attempt, std::span<float> model, MixingReport& report);
  void leave_out(const Attempt& attempt, const std::vector<std::size_t>& places);
};

}  // namespace starling::mixing
