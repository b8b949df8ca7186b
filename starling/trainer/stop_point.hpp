// Where a run that is asked to stop does so: after the same step at every peer.
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>

namespace starling::trainer {

/// Agrees within one process on the last step of an interrupted run. Peers may be several steps
/// apart, so the stop lies behind the most advanced one and nobody is left waiting for a neighbour
/// that has stopped.
class StopPoint {
 public:
  /// Peer announces that it is about to do step `step` (from 0). @return false: do not, the run is
  /// over
  bool may_begin(std::uint64_t step);

  /// Asks the run to end after the furthest step begun so far. Not for signal handlers (it locks).
  void request();

  [[nodiscard]] bool requested() const;

 private:
  mutable std::mutex mutex_;  // guards both
  std::uint64_t begun_ = 0;   // steps 0 .. begun_-1 have been begun by somebody
  std::uint64_t end_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace starling::trainer
