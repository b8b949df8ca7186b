// Runs an experiment in a world.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "starling/core/event.hpp"
#include "starling/peer/world.hpp"
#include "starling/trainer/experiment.hpp"
#include "starling/trainer/stop_point.hpp"
#include "starling/trainer/summary.hpp"

namespace starling::trainer {

/// What the trainer asks of the world it is to run in.
struct WorldRequest {
  std::size_t peers = 1;
  std::uint64_t seed = 1;
  Observer* observer = nullptr;
  Duration slow_warning{};
  Duration computing{};           ///< cost of all steps on a machine of speed 1
  double exchanges = 0.0;         ///< times that a peer waits for others, at least
  std::size_t message_bytes = 0;  ///< of a model
  std::size_t stack_bytes = 0;    ///< what the model needs on the stack of a peer
};

using WorldFactory = std::function<std::unique_ptr<World>(const WorldRequest&)>;

/// What the trainer is given besides the experiment.
struct Surroundings {
  WorldFactory make_world;
  Observer* observer = nullptr;  ///< also gets every event, e.g. a progress display; may be null
  StopPoint* stop = nullptr;     ///< where an interrupt is asked for; may be null
  bool virtual_time = false;     ///< the world needs to know the cost of a step
  double slowest_speed = 1.0;    ///< of its hosts, where the cost of a step is that of speed 1
  /// Told once, before the first step: the steps done already and those done at the end. May be
  /// null.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_begin{};
  /// Told once, before the first step, what a step costs if that had to be measured: given as
  /// Experiment::step_seconds it makes a run that repeats this one, times included. May be null.
  std::function<void(double step_seconds)> on_measured{};
};

/// Trains and returns the summary. Losses of peers and interrupts end up in the summary (error,
/// exit_code) together with what was reached.
/// @throws ConfigError, DataError, StorageError before the first step
Summary train(const Experiment& experiment, const Surroundings& surroundings);

}  // namespace starling::trainer
