// Where a run that is asked to stop does so: after the same step at every peer.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>

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
  /// @return false if no peer has begun a step: there is nothing to finish
  bool request();

  [[nodiscard]] bool requested() const;

  /// True once the request is older than `patience`: what still goes on should be cut short.
  [[nodiscard]] bool is_overdue(std::chrono::steady_clock::duration patience) const;

 private:
  mutable std::mutex mutex_;  // guards all below
  std::uint64_t begun_ = 0;   // steps 0 .. begun_-1 have been begun by somebody
  std::uint64_t end_ = std::numeric_limits<std::uint64_t>::max();
  std::optional<std::chrono::steady_clock::time_point> requested_at_;
};

}  // namespace starling::trainer
