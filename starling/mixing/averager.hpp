// Averaging for its own sake: every peer begins with a vector, and round by round its estimate
// comes nearer to the mean of all. What `starling average` measures; a table of them is in
// averager_catalog.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "starling/core/time.hpp"
#include "starling/mixing/absences.hpp"
#include "starling/mixing/grid_average.hpp"
#include "starling/peer/group.hpp"
#include "starling/topology/ceca.hpp"
#include "starling/topology/grid_groups.hpp"
#include "starling/topology/topology.hpp"

namespace starling::mixing {

/// What one round is told, the same at every peer but for the deadline.
struct AveragingRound {
  std::uint64_t round = 0;  ///< from 0
  Deadline deadline{};
  Absent absent{};
};

/// One peer's side of it.
class Averager {
 public:
  Averager() = default;
  Averager(const Averager&) = delete;
  Averager& operator=(const Averager&) = delete;
  virtual ~Averager() = default;

  /// Takes the vector whose mean is wanted. Once, before the first round.
  virtual void begin(std::span<const float> values) = 0;

  /// Rounds follow each other from 0, at all peers, the absent included.
  /// @throws PeerLost, NotFiniteError
  virtual void round(const AveragingRound& round) = 0;

  /// The estimate of the mean after the rounds so far.
  [[nodiscard]] virtual std::span<const float> values() const = 0;
};

/// Makes the averager of one peer; the group outlives it.
using MakeAverager = std::function<std::unique_ptr<Averager>(const Group& group)>;

/// Made once and shared by the peers of a process.
using SharedTopology = std::shared_ptr<const topology::Topology>;
using SharedGrid = std::shared_ptr<const topology::GridGroups>;

/// x <- W x. An absent neighbour's weight stays at home (row_without()).
MakeAverager gossip_averager(SharedTopology topology);

/// Push-sum; the estimate is x / w. An absent neighbour's share stays at home (shares_without()).
MakeAverager push_sum_averager(SharedTopology topology);

/// CECA, cycle after cycle; a round in which anybody is absent changes nothing and is made up for.
MakeAverager ceca_averager(topology::CecaSchedule schedule);

/// The exact mean in every round in which nobody is absent; nothing in the others.
MakeAverager all_reduce_averager(std::string collective);

/// The groups of a grid; a group averages those of its members that are there.
MakeAverager grid_averager(SharedGrid grid, GridAverageOptions options);

}  // namespace starling::mixing
