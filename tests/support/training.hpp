// Small training runs for tests of algorithms: quadratic losses whose results can be worked out by
// hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "starling/algorithm/registry.hpp"
#include "starling/optimizer/learning_rate.hpp"
#include "starling/peer/world.hpp"

#include "tests/support/worlds.hpp"

namespace starling::testing {

/// f_i(x) = curvature_i / 2 * ||x - b_i||^2 with gradient noise of the given deviation per
/// coordinate.
struct Bowl {
  std::vector<float> centre;  ///< b_i
  float curvature = 1.0F;
  float noise = 0.0F;
};

struct TrainingOptions {
  std::string algorithm = "dsgd";
  algorithm::AlgorithmOptions options;
  std::vector<Bowl> bowls;  ///< one a peer
  std::uint64_t steps = 10;
  float learning_rate = 0.1F;
  optimizer::LearningRateOptions schedule;  ///< of the learning rate; its base is the one above
  std::string optimizer = "sgd";
  float weight_decay = 0.0F;
  std::uint64_t seed = 7;
  NotFinite not_finite = NotFinite::stop;
  std::vector<algorithm::Fault> faults;  ///< put into the gradients of peer `faulty`
  std::size_t faulty = 0;
  Observer* observer = nullptr;
  /// Called at every peer after every step, from the peer's own activity.
  std::function<void(algorithm::Replica&, algorithm::Algorithm&)> after_step;
};

struct TrainingResult {
  std::vector<std::vector<float>> models;  ///< evaluation views by rank
  std::vector<std::vector<double>> scalars;
  RunReport report;
};

/// Trains and returns what became of every peer; the report tells of failures.
TrainingResult train(Kind kind, const TrainingOptions& options);

/// Bowls with centres drawn from N(0, 1), made to average to zero.
std::vector<Bowl> random_bowls(std::size_t peers, std::size_t dimension, float noise);

/// The mean of the models in double.
std::vector<double> mean_of(const std::vector<std::vector<float>>& models);

}  // namespace starling::testing
