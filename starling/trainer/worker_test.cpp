// That the view of push-sum, z = x/w, is what a run evaluates, shows, averages and exports, and
// that a resume brings w back. On a star w drifts away from 1, so x in its place shows.
#include "starling/trainer/worker.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "starling/core/span_math.hpp"
#include "starling/peer/group.hpp"
#include "starling/trainer/checkpoint.hpp"
#include "starling/trainer/safetensors.hpp"
#include "starling/trainer/toy_runs.hpp"

#include "tests/support/temp_directory.hpp"
#include "tests/support/worlds.hpp"

namespace starling::trainer {
namespace {

using starling::testing::Kind;
using starling::testing::make_world;
using starling::testing::TempDirectory;

constexpr std::size_t kPeers = 5;
constexpr std::uint64_t kSteps = 12;

Experiment push_sum_on_a_star() {
  Experiment experiment = toy("sgp", kPeers, kSteps);
  experiment.algorithm_options.topology = "star";
  experiment.algorithm_options.weights = "push";
  return experiment;
}

Plan plan_of(const Experiment& experiment) {
  return make_plan(experiment, TimeKind::real);
}

/// w of every peer after `rounds` rounds: w <- P(k) w from 1.
std::vector<double> weights_after(const topology::Topology& topology, std::uint64_t rounds) {
  std::vector<double> weights(kPeers, 1.0);
  for (std::uint64_t k = 0; k < rounds; ++k) {
    std::vector<double> pushed(kPeers);
    for (std::size_t i = 0; i < kPeers; ++i) {
      const topology::MixingRow row = topology.row(k, i);
      pushed[i] += row.self_weight * weights[i];
      for (const topology::Link& link : row.sends) {
        pushed[link.rank] += link.weight * weights[i];
      }
    }
    weights = pushed;
  }
  return weights;
}

std::vector<float> divided(std::span<const float> x, double weight) {
  std::vector<float> z;
  for (const float value : x) {
    z.push_back(static_cast<float>(double{value} / weight));
  }
  return z;
}

/// z = x/w is rounded once or twice: a few parts in 1e7 of numbers near 1.
void expect_equal_to_rounding(std::span<const float> found, std::span<const float> expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_NEAR(found[k], expected[k], 1e-6) << "element " << k;
  }
}

/// Keeps the last model that each peer has shown.
class LastSnapshots : public Observer {
 public:
  void on_event(const Event& event) override {
    if (const auto* snapshot = std::get_if<ModelSnapshot>(&event.what)) {
      const std::lock_guard lock(mutex_);
      models_[event.from.value] = {snapshot->model.begin(), snapshot->model.end()};
    }
  }

  [[nodiscard]] const std::vector<float>& of(std::uint64_t rank) const { return models_.at(rank); }

 private:
  std::mutex mutex_;  // guards the models while peers run
  std::map<std::uint64_t, std::vector<float>> models_;
};

TEST(Worker, EvaluatesAndShowsTheViewAndKeepsTheParameters) {
  const Plan plan = plan_of(push_sum_on_a_star());
  StopPoint stop;
  LostPeers lost;
  const Work the_work{plan, nullptr, stop, lost};
  LastSnapshots shown;
  std::vector<PeerResult> results(kPeers);
  make_world(Kind::threads, {.peers = kPeers, .observer = &shown})
      ->run([&](Peer& peer) { work(peer, the_work, results[Group::everyone(peer).rank()]); })
      .or_throw();

  const std::vector<double> weights = weights_after(*plan.topology, kSteps);
  ASSERT_GT(weights[0], 1.5);  // the hub
  for (std::size_t rank = 0; rank < kPeers; ++rank) {
    const std::vector<float> z = divided(results[rank].parameters, weights[rank]);
    expect_equal_to_rounding(results[rank].model, z);
    expect_equal_to_rounding(shown.of(rank), z);
    const auto objective = make_parts(plan, rank).objective;
    const auto& data = plan.data.test != nullptr ? plan.data.test : plan.data.train;
    const objective::Evaluation at_z =
        objective->evaluate(z, {data.get(), plan.evaluation_samples});
    const objective::Evaluation at_x =
        objective->evaluate(results[rank].parameters, {data.get(), plan.evaluation_samples});
    EXPECT_NEAR(results[rank].own_evaluation.loss(), at_z.loss(), 1e-5);
    EXPECT_GT(std::abs(at_x.loss() - at_z.loss()), 1e-3);
  }
}

nlohmann::json last_of_peers(const std::filesystem::path& file) {
  std::ifstream lines(file);
  nlohmann::json last;
  for (std::string line; std::getline(lines, line);) {
    auto json = nlohmann::json::parse(line);
    if (json["type"] == "peers") {
      last = std::move(json);
    }
  }
  return last;
}

TEST(Train, WhatIsAveragedMeasuredAndExportedIsTheView) {
  const TempDirectory scratch;
  Experiment experiment = push_sum_on_a_star();
  experiment.out = scratch / "run";
  experiment.evaluate_every = kSteps;
  experiment.export_model = scratch / "model.safetensors";
  experiment.checkpoint.every = kSteps;
  const Summary summary = train_on_threads(experiment);
  ASSERT_EQ(summary.exit_code, ExitCode::ok) << summary.error;

  // z from x and w as the checkpoint has them, and their mean.
  const Plan plan = plan_of(experiment);
  const std::vector<double> weights = weights_after(*plan.topology, kSteps);
  std::vector<std::vector<float>> models;
  std::vector<std::span<const float>> views;
  for (const PeerState& peer :
       load_checkpoint(checkpoint_directory(experiment), plan.fingerprint).peers) {
    EXPECT_NEAR(peer.scalars.at("push-sum weight"), weights[peer.peer], 1e-12);
    models.push_back(divided(peer.parameters, weights[peer.peer]));
  }
  views.assign(models.begin(), models.end());
  std::vector<float> averaged(models.front().size());
  mean(views, averaged);
  double distance = 0.0;
  for (const auto& model : models) {
    distance += squared_distance(model, averaged) / double{kPeers};
  }
  const auto objective = make_parts(plan, 0).objective;
  const objective::Evaluation evaluation =
      objective->evaluate(averaged, {plan.data.test.get(), plan.evaluation_samples});

  expect_equal_to_rounding(read_safetensors(experiment.export_model).values, averaged);
  EXPECT_NEAR(summary.loss, evaluation.loss(), 1e-5);
  EXPECT_NEAR(summary.consensus_distance, distance, 1e-5 * distance);
  const nlohmann::json last = last_of_peers(experiment.out / "metrics.jsonl");
  EXPECT_EQ(last["step"], kSteps);
  EXPECT_NEAR(last["consensus_distance"].get<double>(), distance, 1e-5 * distance);
  EXPECT_NEAR(last["loss_averaged_model"].get<double>(), evaluation.loss(), 1e-5);
}

TEST(Resume, BringsTheWeightOfPushSumBack) {
  const Experiment whole = push_sum_on_a_star();
  const TempDirectory scratch;
  train_to_checkpoint(whole, 7, scratch.path());
  Experiment second = whole;
  second.resume = scratch.path();
  const Summary resumed = train_on_threads(second);
  const Summary uninterrupted = train_on_threads(whole);
  EXPECT_EQ(resumed.parameters_sha256, uninterrupted.parameters_sha256);
  EXPECT_EQ(resumed.loss, uninterrupted.loss);  // the hash is of x alone
}

}  // namespace
}  // namespace starling::trainer
