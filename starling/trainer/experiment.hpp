// What to run: everything that decides the result, and nothing about how it is shown.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "starling/algorithm/options.hpp"
#include "starling/core/policy.hpp"
#include "starling/objective/batches.hpp"
#include "starling/optimizer/learning_rate.hpp"
#include "starling/optimizer/optimizer.hpp"

namespace starling::trainer {

inline constexpr std::size_t kPeersMax = 100'000;
inline constexpr double kWaitSecondsMin = 1e-3;  ///< clocks and schedulers are not finer
inline constexpr double kSecondsMax = 1e6;       ///< eleven days: more is a slip of the finger
inline constexpr double kEpochsMax = 1e9;        ///< nobody waits for more
inline constexpr double kEpochStepsMax = 9e18;  ///< steps in all epochs: 64 bits hold twice as many
inline constexpr double kVirtualSecondsMax = 4e9;  ///< 126 years, of 292 that a clock can tell

/// What is done when a checkpoint cannot be written.
enum class OnStorageError : std::uint8_t { stop, continue_ };

struct CheckpointOptions {
  std::filesystem::path directory;  ///< empty: "checkpoints" in the output folder
  std::uint64_t every = 0;  ///< steps between checkpoints; 0: none but the one when interrupted
  std::size_t keep = 2;     ///< complete checkpoints kept; at least 1
  OnStorageError on_error = OnStorageError::stop;
};

/// Wrong numbers put in on purpose, to see what the policy does.
struct Injection {
  std::size_t peer = 0;
  std::uint64_t step = 0;
  float value = 0.0F;
};

/// As on the command line: "1:2:nan".
inline std::string to_string(const Injection& one) {
  return std::to_string(one.peer) + ":" + std::to_string(one.step) +
         (std::isnan(one.value) ? ":nan" : ":inf");
}

struct Experiment {
  std::size_t peers = 8;
  std::uint64_t seed = 1;

  std::string algorithm = "dsgd";
  algorithm::AlgorithmOptions algorithm_options;

  std::string model = "linear";
  float l2 = 0.0F;
  std::string data = "fashion-mnist";
  std::filesystem::path data_directory;
  std::string partition = "iid";
  std::size_t batch = 32;
  objective::LastBatch last_batch = objective::LastBatch::join_out;

  std::optional<std::uint64_t> steps;  ///< exactly one of steps and epochs
  std::optional<double> epochs;
  optimizer::OptimizerOptions optimizer;
  optimizer::LearningRateOptions learning_rate;  ///< total_steps is filled in by the trainer
  double warmup_epochs = 0.0;                    ///< adds to learning_rate.warmup_steps

  NotFinite not_finite = NotFinite::stop;
  std::vector<Injection> injections;
  double timeout_seconds = 60.0;      ///< deadline of every wait for another peer
  double slow_warning_seconds = 5.0;  ///< first warning about a wait

  std::uint64_t evaluate_every =
      0;  ///< steps between evaluations of the averaged model; 0: at the end
  std::uint64_t metrics_every = 0;     ///< steps between consensus measurements; 0: ten a run
  std::size_t evaluation_samples = 0;  ///< test samples used; 0: all
  double step_seconds = 0.0;  ///< simulation: cost of a step at speed 1; 0: measured at the start

  std::filesystem::path out;  ///< empty: nothing is written
  CheckpointOptions checkpoint;
  std::filesystem::path resume;        ///< a checkpoint directory; empty: start afresh
  std::filesystem::path export_model;  ///< safetensors file of the averaged model; empty: none
};

}  // namespace starling::trainer
