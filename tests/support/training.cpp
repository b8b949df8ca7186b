#include "tests/support/training.hpp"

#include <utility>

namespace starling::testing {

namespace {

class BowlObjective final : public objective::Objective {
 public:
  explicit BowlObjective(Bowl bowl) : bowl_(std::move(bowl)) {
    layout_.append("x", {bowl_.centre.size()});
  }

  const Layout& layout() const override { return layout_; }

  void initialise(std::span<float> parameters, Random& random) override {
    for (float& value : parameters) {
      value = static_cast<float>(random.normal());
    }
  }

  double gradient(std::span<const float> point,
                  const objective::Batch& /*batch*/,
                  Random& random,
                  std::span<float> out) override {
    double loss = 0.0;
    for (std::size_t k = 0; k < point.size(); ++k) {
      const float offset = point[k] - bowl_.centre[k];
      loss += 0.5 * double{bowl_.curvature} * double{offset} * double{offset};
      out[k] = bowl_.curvature * offset;
      if (bowl_.noise != 0.0F) {
        out[k] += bowl_.noise * static_cast<float>(random.normal());
      }
    }
    return loss;
  }

  objective::Evaluation evaluate(std::span<const float> /*point*/,
                                 const objective::Batch& /*batch*/) override {
    return {.samples = 1};
  }

  std::size_t outputs() const override { return 0; }

  void predict(std::span<const float> /*point*/,
               const objective::Batch& /*batch*/,
               std::span<float> /*out*/) override {}

  double flops_per_sample() const override { return 3.0 * double(bowl_.centre.size()); }

 private:
  Bowl bowl_;
  Layout layout_;
};

algorithm::ReplicaParts parts_for(const TrainingOptions& options, std::size_t rank) {
  const Bowl& bowl = options.bowls[rank];
  optimizer::LearningRateOptions rate = options.schedule;
  rate.base = options.learning_rate;
  return {
      .objective = std::make_unique<BowlObjective>(bowl),
      .data = nullptr,
      .batches = std::nullopt,
      .optimizer = optimizer::make_optimizer(
          {.name = options.optimizer, .weight_decay = options.weight_decay}, bowl.centre.size()),
      .learning_rate = optimizer::LearningRate(rate)};
}

}  // namespace

TrainingResult train(Kind kind, const TrainingOptions& options) {
  const std::size_t peers = options.bowls.size();
  const algorithm::Entry& entry = algorithm::find_algorithm(options.algorithm);
  const auto topology = algorithm::make_mixing(entry, options.options, peers, options.seed);
  TrainingResult result;
  result.models.resize(peers);
  result.scalars.resize(peers);
  const auto world =
      make_world(kind, {.peers = peers, .seed = options.seed, .observer = options.observer});
  result.report = world->run([&](Peer& peer) {
    Group group = Group::everyone(peer);
    const std::size_t rank = group.rank();
    algorithm::ReplicaOptions replica_options{.not_finite = options.not_finite,
                                              .on_loss = options.options.on_loss,
                                              .timeout = std::chrono::seconds(20),
                                              .collective = options.options.collective};
    if (rank == options.faulty) {
      replica_options.faults = options.faults;
    }
    algorithm::Replica replica(group, parts_for(options, rank), replica_options);
    const auto algorithm = entry.make({.options = options.options, .topology = topology});
    algorithm->start(replica);
    for (std::uint64_t step = 0; step < options.steps; ++step) {
      algorithm->step(replica);
      replica.finish_step();
      if (options.after_step) {
        options.after_step(replica, *algorithm);
      }
    }
    algorithm->finish(replica);
    const auto view = algorithm->evaluation_view(replica);
    result.models[rank].assign(view.begin(), view.end());
    for (const auto& scalar : algorithm->scalars()) {
      result.scalars[rank].push_back(scalar.value);
    }
  });
  return result;
}

std::vector<Bowl> random_bowls(std::size_t peers, std::size_t dimension, float noise) {
  Random random(stream_key("bowls"));
  std::vector<Bowl> bowls(peers, {.centre = std::vector<float>(dimension), .noise = noise});
  for (std::size_t k = 0; k < dimension; ++k) {
    double sum = 0.0;
    for (Bowl& bowl : bowls) {
      bowl.centre[k] = static_cast<float>(random.normal());
      sum += double{bowl.centre[k]};
    }
    for (Bowl& bowl : bowls) {
      bowl.centre[k] -= static_cast<float>(sum / static_cast<double>(peers));
    }
  }
  return bowls;
}

std::vector<double> mean_of(const std::vector<std::vector<float>>& models) {
  std::vector<double> mean(models.front().size());
  for (const auto& model : models) {
    for (std::size_t k = 0; k < mean.size(); ++k) {
      mean[k] += double{model[k]};
    }
  }
  for (double& value : mean) {
    value /= static_cast<double>(models.size());
  }
  return mean;
}

}  // namespace starling::testing
