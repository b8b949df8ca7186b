// Training under 900 fault schedules, 100 for each algorithm and as many for each of those with a
// topology on a ring: every run ends, or its failure names
// a peer that a fault has hit. Until the first exchange is missed every model has, after every
// step, the bits of the run without faults.
#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "starling/algorithm/registry.hpp"
#include "starling/simulation/faults.hpp"
#include "starling/trainer/train.hpp"

#include "tests/faults/schedules.hpp"

namespace starling::testing {

namespace {

trainer::Experiment experiment_for(const std::string& algorithm,
                                   OnLoss on_loss,
                                   const std::string& topology = {}) {
  trainer::Experiment experiment;
  experiment.peers = 8;
  experiment.seed = 7;
  experiment.algorithm = algorithm;
  experiment.algorithm_options.on_loss = on_loss;
  experiment.algorithm_options.topology = topology;
  experiment.model = "logistic";
  experiment.data = "toy:samples=320:test=40";
  experiment.batch = 8;
  experiment.steps = 20;
  experiment.timeout_seconds = 20.0;
  experiment.step_seconds = 0.5;
  experiment.metrics_every = 1;
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

/// The models of all peers after all steps, and the first exchange that was missed.
class Models final : public Observer {
 public:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // step, peer

  void on_event(const Event& event) override {
    if (const auto* snapshot = std::get_if<ModelSnapshot>(&event.what)) {
      models_[{snapshot->step, event.from.value}].assign(snapshot->model.begin(),
                                                         snapshot->model.end());
    } else if (const auto* lost = std::get_if<PartnerLost>(&event.what)) {
      first_missed_ = std::min(first_missed_, lost->round);
    }
  }

  /// Where these models are other than those of `whole`, a run without faults. What is missed in
  /// round r (from 0) shows in the models after step r + 1 at the earliest.
  [[nodiscard]] std::string difference_from(const Models& whole) const {
    for (const auto& [key, model] : models_) {
      const auto expected = whole.models_.find(key);
      if (key.first > first_missed_) {
        break;
      }
      if (expected == whole.models_.end() || model != expected->second) {
        return "peer " + std::to_string(key.second) + " has another model after step " +
               std::to_string(key.first) + " than without faults; ";
      }
    }
    return {};
  }

  [[nodiscard]] std::size_t size() const { return models_.size(); }

 private:
  std::map<Key, std::vector<float>> models_;
  std::uint64_t first_missed_ = std::numeric_limits<std::uint64_t>::max();
};

struct Outcome {
  trainer::Summary summary;
  RunReport report;
  Models models;
  std::set<std::uint64_t> hit;     ///< the peers that faults of the schedule are meant for
  std::set<std::uint64_t> killed;  ///< those of them whose hosts go off, if only for a while
};

/// Whom the faults of a schedule are meant for, delays aside. Moments depend on the length of the
/// run, which is not known here; whom a rate hits does not.
void note_victims(const SimOptions& options, Outcome& outcome) {
  const simulation::FaultPlan plan =
      simulation::plan_faults(options.faults, {.peers = options.peers, .seed = options.seed});
  for (const simulation::Fault& fault : plan.faults) {
    if (!fault.peer) {
      continue;
    }
    outcome.hit.insert(fault.peer->value);
    if (fault.kind == simulation::Fault::Kind::kill) {
      outcome.killed.insert(fault.peer->value);
    }
  }
}

void train_in(SimOptions options, const trainer::Experiment& experiment, Outcome& outcome) {
  note_victims(options, outcome);
  outcome.summary =
      trainer::train(experiment,
                     {.make_world =
                          [&](const trainer::WorldRequest& request) {
                            options.observer = request.observer;
                            return std::make_unique<Reporting>(options, outcome.report);
                          },
                      .observer = &outcome.models,
                      .virtual_time = true});
}

/// The peers that a message names.
std::set<std::uint64_t> named_in(const std::string& words) {
  const std::string name = "peer ";
  std::set<std::uint64_t> named;
  for (std::size_t at = words.find(name); at != std::string::npos; at = words.find(name, at + 1)) {
    const std::size_t begin = at + name.size();
    const std::size_t end = words.find_first_not_of("0123456789", begin);
    if (end != begin) {
      named.insert(std::stoull(words.substr(begin, end - begin)));
    }
  }
  return named;
}

/// A failure is the doing of a fault: its line blames a peer that one has hit, and says of no other
/// peer than those killed that its host went off.
std::string complaint_about_names(const Outcome& outcome) {
  const std::string& words = outcome.summary.error;
  const std::set<std::uint64_t> named = named_in(words);
  const bool blames_a_victim = std::any_of(
      named.begin(), named.end(), [&](std::uint64_t peer) { return outcome.hit.contains(peer); });
  if (!blames_a_victim) {
    return "the error names no peer that a fault has hit: " + words + "; ";
  }
  const std::size_t off = words.find("host of peer ");
  if (off == std::string::npos) {
    return {};
  }
  const std::set<std::uint64_t> gone = named_in(words.substr(off, words.find(" went off") - off));
  const bool was_killed = gone.size() == 1 && outcome.killed.contains(*gone.begin());
  return was_killed ? "" : "the error blames a peer that was not killed: " + words + "; ";
}

std::string complaint(const Outcome& outcome, const Outcome& whole, OnLoss on_loss) {
  const std::string& expected_hash = whole.summary.parameters_sha256;
  std::ostringstream text;
  text << complaint_about(outcome.report) << outcome.models.difference_from(whole.models);
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
  if (summary.exit_code != ExitCode::ok) {
    text << complaint_about_names(outcome);
  }
  return text.str();
}

FaultTrial trial(const std::string& algorithm, OnLoss on_loss, const std::string& topology = {}) {
  const trainer::Experiment experiment = experiment_for(algorithm, on_loss, topology);
  const auto whole = std::make_shared<Outcome>();
  train_in({.peers = experiment.peers}, experiment, *whole);
  FaultTrial trial;
  trial.peers = experiment.peers;
  trial.run = [experiment, whole, on_loss, limits = trial](SimWorld&, std::uint64_t seed) {
    Outcome outcome;
    train_in(schedule_of(seed, limits), experiment, outcome);
    return complaint(outcome, *whole, on_loss);
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

TEST(FaultHarness, SeesAWrongNameAndAWrongModel) {
  const trainer::Experiment experiment = experiment_for("dsgd", OnLoss::stop);
  Outcome whole;
  train_in({.peers = experiment.peers}, experiment, whole);
  EXPECT_EQ(whole.models.size(), experiment.peers * (*experiment.steps + 1));
  EXPECT_EQ(complaint(whole, whole, OnLoss::stop), "");

  trainer::Experiment another = experiment;
  another.learning_rate.base *= 2.0F;
  Outcome wrong;
  train_in({.peers = experiment.peers}, another, wrong);
  EXPECT_NE(wrong.models.difference_from(whole.models), "");

  Outcome failed;
  train_in(
      {
          .peers = experiment.peers,
          .faults = "window:5s,kill:0.5",
      },
      experiment,
      failed);
  ASSERT_EQ(failed.summary.exit_code, ExitCode::peers_lost) << failed.summary.error;
  EXPECT_EQ(complaint_about_names(failed), "");
  const std::set<std::uint64_t> killed = std::exchange(failed.killed, {});
  EXPECT_NE(complaint_about_names(failed), "");
  failed.killed = killed;
  failed.hit.clear();
  EXPECT_NE(complaint_about_names(failed), "");
}

/// kSeedsOfTest seeds a test, so that none takes long.
class TrainingUnderFaults
    : public ::testing::TestWithParam<std::tuple<std::string, std::uint64_t>> {};

TEST_P(TrainingUnderFaults, EndsRightOrNamesTheCause) {
  const auto& [algorithm, first] = GetParam();
  expect_to_survive(trial(algorithm, OnLoss::stop), first, kSeedsOfTest);
}

INSTANTIATE_TEST_SUITE_P(Seeds,
                         TrainingUnderFaults,
                         ::testing::Combine(::testing::ValuesIn(algorithms()),
                                            ::testing::Range<std::uint64_t>(0, 100, 25)));

class TrainingOnARingUnderFaults : public TrainingUnderFaults {};

TEST_P(TrainingOnARingUnderFaults, EndsRightOrNamesTheCause) {
  const auto& [algorithm, first] = GetParam();
  expect_to_survive(trial(algorithm, OnLoss::stop, "ring"), first, kSeedsOfTest);
}

INSTANTIATE_TEST_SUITE_P(Seeds,
                         TrainingOnARingUnderFaults,
                         ::testing::Combine(::testing::Values("dsgd", "sgp", "gossip-pga"),
                                            ::testing::Range<std::uint64_t>(0, 100, 25)));

class TolerantTraining : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(TolerantTraining, DsgdGoesOnWithoutTheLost) {
  expect_to_survive(trial("dsgd", OnLoss::continue_), GetParam(), kSeedsOfTest);
}

TEST_P(TolerantTraining, SgpGoesOnWithoutTheLost) {
  expect_to_survive(trial("sgp", OnLoss::continue_), GetParam(), kSeedsOfTest);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TolerantTraining, ::testing::Range<std::uint64_t>(0, 50, 25));

}  // namespace

}  // namespace starling::testing
