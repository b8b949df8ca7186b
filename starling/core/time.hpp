// Time as a peer sees it: nanoseconds since its world started, real or virtual.
#pragma once

#include <chrono>

namespace starling {

using Duration = std::chrono::nanoseconds;

/// Tag of the clock of a run; it has no now(): only a Peer knows the time.
struct RunClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<RunClock>;
  static constexpr bool is_steady = true;  // NOLINT(readability-identifier-naming): standard name
};

/// A moment of the run, counted from its start.
using Time = std::chrono::time_point<RunClock, Duration>;

/// The moment until which a wait may last. Every wait in Starling takes one.
struct Deadline {
  Time at{};

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 mistakes a defaulted <=>
  friend constexpr auto operator<=>(const Deadline&, const Deadline&) = default;
};

constexpr double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Seconds since the run started.
constexpr double seconds(Time time) {
  return seconds(time.time_since_epoch());
}

/// Nearest nanosecond of a number of seconds. @pre value is finite and fits (about 292 years).
constexpr Duration from_seconds(double value) {
  return Duration(static_cast<Duration::rep>(value * 1e9 + (value < 0 ? -0.5 : 0.5)));
}

}  // namespace starling
