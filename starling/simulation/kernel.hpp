// All that is asked of SimGrid: actors that pause and go on, transfers that land, one alarm, a
// clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "starling/core/time.hpp"
#include "starling/simulation/platform.hpp"

namespace starling::simulation {

/// One transfer from host to host under way.
using FlightId = std::uint64_t;

struct KernelOptions {
  std::size_t peers = 1;
  std::uint64_t seed = 0;
  std::size_t stack_bytes = 0;  ///< of one actor
};

/// SimGrid has one engine a process, so there is one kernel at a time. The clock starts at zero.
/// Actors, and the callbacks between them, run one at a time; an actor runs undisturbed until it
/// pauses or starts another. What it asks for begins then, at the same virtual time.
class Kernel {
 public:
  class Actor;

  /// @throws ConfigError if the platform file cannot be used
  Kernel(const Platform& platform, const KernelOptions& options);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  ~Kernel();

  /// Called while no actor runs; must not throw.
  void on_alarm(std::function<void()> callback);
  void on_landed(std::function<void(FlightId)> callback);

  [[nodiscard]] Time now() const;

  /// Of `host`, relative to the fastest one.
  [[nodiscard]] double speed(std::size_t host) const;

  /// Starts `body` on `host`, now; it must not throw.
  Actor* start(std::size_t host, const std::string& name, std::function<void()> body);

  /// Holds the calling actor until somebody calls resume(); may return earlier.
  void pause();
  void resume(Actor& actor);

  /// Calls on_alarm at `at`; replaces an earlier order.
  void set_alarm(Time at);
  void clear_alarm() noexcept;

  /// Starts to move `bytes`; on_landed tells its end.
  FlightId launch(std::size_t from, std::size_t to, std::size_t bytes);

  /// Nothing is heard of it any more. Does nothing if it has landed.
  void cancel(FlightId flight);

  /// Transfers that have not landed.
  [[nodiscard]] std::size_t in_flight() const noexcept;

  /// Until no actor is left.
  void run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace starling::simulation
