// Training under 500 fault schedules, 100 for each algorithm: every run ends; it has the bits of
// the run without faults, or it went on without the lost as it was told to, or its failure names
// who was lost.
#include <algorithm>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "starling/algorithm/registry.hpp"
#include "starling/trainer/train.hpp"

#include "tests/faults/schedules.hpp"

namespace starling::testing {

namespace {

trainer::Experiment experiment_for(const std::string& algorithm, OnLoss on_loss) {
  trainer::Experiment experiment;
  experiment.peers = 8;
  experiment.seed = 7;
  experiment.algorithm = algorithm;
  experiment.algorithm_options.on_loss = on_loss;
  experiment.model = "logistic";
  experiment.data = "toy:samples=320:test=40";
  experiment.batch = 8;
  experiment.steps = 20;
  experiment.timeout_seconds = 20.0;
  experiment.step_seconds = 0.5;
  return experiment;
}

/// A simulated world that keeps the report of its run.
class Reporting final : public World {
 public:
  Reporting(const SimOptions& options, RunReport& report) : world_(options), report_(report) {}

  [[nodiscard]] std::string_view name() const override { return world_.name(); }

  [[nodiscard]] std::size_t size() const override { return world_.size(); }

  RunReport run(const std::function<void(Peer&)>& body) override {
    report_ = world_.run(body);
    return report_;
  }

 private:
  SimWorld world_;
  RunReport& report_;
};

struct Outcome {
  trainer::Summary summary;
  RunReport report;
};

Outcome train_in(SimOptions options, const trainer::Experiment& experiment) {
  Outcome outcome;
  outcome.summary =
      trainer::train(experiment,
                     {.make_world =
                          [&](const trainer::WorldRequest& request) {
                            options.observer = request.observer;
                            return std::make_unique<Reporting>(options, outcome.report);
                          },
                      .virtual_time = true});
  return outcome;
}

std::string hash_without_faults(const trainer::Experiment& experiment) {
  return train_in({.peers = experiment.peers}, experiment).summary.parameters_sha256;
}

std::string complaint(const Outcome& outcome, const std::string& expected_hash, OnLoss on_loss) {
  std::ostringstream text;
  text << complaint_about(outcome.report);
  const trainer::Summary& summary = outcome.summary;
  const bool undisturbed = outcome.report.ok() && summary.partners_lost == 0;
  if (undisturbed && summary.parameters_sha256 != expected_hash) {
    text << "other bits than without faults: " << summary.parameters_sha256 << " instead of "
         << expected_hash << "; ";
  }
  if (summary.exit_code == ExitCode::ok && on_loss == OnLoss::stop && summary.partners_lost != 0) {
    text << "went on after a loss; ";
  }
  const bool anyone = std::any_of(outcome.report.peers.begin(),
                                  outcome.report.peers.end(),
                                  [](const PeerOutcome& peer) { return peer.error == nullptr; });
  if (on_loss == OnLoss::continue_ && anyone && summary.exit_code != ExitCode::ok) {
    text << "did not go on: " << summary.error << "; ";
  }
  if (summary.exit_code != ExitCode::ok && summary.error.find("peer") == std::string::npos) {
    text << "the error names nobody: " << summary.error << "; ";
  }
  return text.str();
}

FaultTrial trial(const std::string& algorithm, OnLoss on_loss) {
  const trainer::Experiment experiment = experiment_for(algorithm, on_loss);
  const std::string expected = hash_without_faults(experiment);
  FaultTrial trial;
  trial.peers = experiment.peers;
  trial.run = [experiment, expected, on_loss, limits = trial](SimWorld&, std::uint64_t seed) {
    return complaint(train_in(schedule_of(seed, limits), experiment), expected, on_loss);
  };
  return trial;
}

std::vector<std::string> algorithms() {
  std::vector<std::string> names;
  for (const auto& entry : algorithm::registry()) {
    names.push_back(entry.name);
  }
  return names;
}

/// 25 seeds a test, so that none takes long.
class TrainingUnderFaults
    : public ::testing::TestWithParam<std::tuple<std::string, std::uint64_t>> {};

TEST_P(TrainingUnderFaults, EndsRightOrNamesTheCause) {
  const auto& [algorithm, first] = GetParam();
  expect_to_survive(trial(algorithm, OnLoss::stop), first, 25);
}

INSTANTIATE_TEST_SUITE_P(Seeds,
                         TrainingUnderFaults,
                         ::testing::Combine(::testing::ValuesIn(algorithms()),
                                            ::testing::Range<std::uint64_t>(0, 100, 25)));

class TolerantTraining : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(TolerantTraining, DsgdGoesOnWithoutTheLost) {
  expect_to_survive(trial("dsgd", OnLoss::continue_), GetParam(), 25);
}

TEST_P(TolerantTraining, SgpGoesOnWithoutTheLost) {
  expect_to_survive(trial("sgp", OnLoss::continue_), GetParam(), 25);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TolerantTraining, ::testing::Range<std::uint64_t>(0, 50, 25));

}  // namespace

}  // namespace starling::testing
