// The time of one peer.
#pragma once

#include "starling/core/time.hpp"

namespace starling {

/// Monotonic time since the run started: of the machine on threads, virtual in simulation.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  [[nodiscard]] virtual Time now() const = 0;

  /// Returns early, without error, when the caller's activity is asked to stop.
  virtual void sleep_for(Duration duration) = 0;

  [[nodiscard]] Deadline in(Duration duration) const { return Deadline{now() + duration}; }
};

}  // namespace starling
