// Runs of milliseconds for tests of the trainer: logistic regression on a toy set, in any world.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "starling/trainer/train.hpp"

#include "tests/support/worlds.hpp"

namespace starling::trainer {

inline Experiment toy(const std::string& algorithm, std::size_t peers, std::uint64_t steps) {
  Experiment experiment;
  experiment.peers = peers;
  experiment.seed = 7;
  experiment.algorithm = algorithm;
  experiment.model = "logistic";
  experiment.data = "toy:samples=240:test=60";
  experiment.batch = 8;
  experiment.steps = steps;
  experiment.learning_rate.base = 0.05F;
  experiment.timeout_seconds = 20.0;
  experiment.step_seconds = 0.001;
  return experiment;
}

inline Summary train_on(testing::Kind kind,
                        const Experiment& experiment,
                        StopPoint* stop = nullptr,
                        Observer* observer = nullptr) {
  const auto factory = [kind](const WorldRequest& request) {
    return testing::make_world(
        kind, {.peers = request.peers, .seed = request.seed, .observer = request.observer});
  };
  return train(experiment,
               {.make_world = factory,
                .observer = observer,
                .stop = stop,
                .virtual_time = kind == testing::Kind::simulation});
}

inline Summary train_on_threads(const Experiment& experiment) {
  return train_on(testing::Kind::threads, experiment);
}

/// Trains for `steps` steps only and leaves the checkpoint after the last of them in `folder`.
inline Summary train_to_checkpoint(Experiment experiment,
                                   std::uint64_t steps,
                                   const std::filesystem::path& folder) {
  experiment.steps = steps;
  experiment.checkpoint = {.directory = folder, .every = steps};
  return train_on_threads(experiment);
}

}  // namespace starling::trainer
