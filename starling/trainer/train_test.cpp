#include "starling/trainer/train.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "starling/algorithm/registry.hpp"
#include "starling/core/error.hpp"
#include "starling/trainer/checkpoint.hpp"
#include "starling/trainer/plan.hpp"
#include "starling/trainer/toy_runs.hpp"

#include "tests/support/temp_directory.hpp"
#include "tests/support/worlds.hpp"

namespace starling::trainer {
namespace {

using starling::testing::all_kinds;
using starling::testing::Kind;
using Scratch = starling::testing::TempDirectory;
using ::testing::HasSubstr;

std::vector<std::string> algorithms() {
  std::vector<std::string> names;
  for (const auto& entry : algorithm::registry()) {
    names.push_back(entry.name);
  }
  return names;
}

class TrainEvery : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(All, TrainEvery, ::testing::ValuesIn(algorithms()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(TrainEvery, SameHashInEveryWorldAndTwice) {
  std::set<std::string> hashes;
  for (const Kind kind : all_kinds()) {
    for (int turn = 0; turn < 2; ++turn) {
      const Summary summary = train_on(kind, toy(GetParam(), 5, 25));
      EXPECT_EQ(summary.exit_code, ExitCode::ok) << summary.error;
      EXPECT_EQ(summary.steps, 25U);
      hashes.insert(summary.parameters_sha256);
    }
  }
  EXPECT_EQ(hashes.size(), 1U);
}

TEST_P(TrainEvery, LearnsTheToySet) {
  Experiment experiment = toy(GetParam(), 4, 150);
  experiment.partition = "dirichlet:0.3";
  const Summary summary = train_on_threads(experiment);
  EXPECT_GT(summary.accuracy_averaged_model, 0.9);
  EXPECT_LE(summary.accuracy_min, summary.accuracy_mean);
  EXPECT_LE(summary.accuracy_mean, summary.accuracy_max);
}

TEST_P(TrainEvery, ResumesBitForBit) {
  for (const char* optimizer : {"momentum", "adam"}) {
    const Scratch scratch;
    Experiment whole = toy(GetParam(), 4, 40);
    whole.optimizer.name = optimizer;
    whole.data = "toy:samples=250:test=60";  // uneven shards, short last batches
    const Summary uninterrupted = train_on_threads(whole);

    Experiment first = whole;
    first.steps = 24;
    first.checkpoint.directory = scratch.path() / "checkpoints";
    first.checkpoint.every = 6;
    train_on_threads(first);
    Experiment second = whole;
    second.resume = first.checkpoint.directory;
    const Summary resumed = train_on_threads(second);
    EXPECT_EQ(resumed.parameters_sha256, uninterrupted.parameters_sha256) << optimizer;
    EXPECT_EQ(resumed.samples_seen, uninterrupted.samples_seen);
  }
}

TEST(Checkpoints, AFreshRunIsRefusedWhereAnotherLeftSome) {
  const Scratch scratch;
  Experiment experiment = toy("dsgd", 2, 4);
  experiment.checkpoint.directory = scratch.path();
  experiment.checkpoint.every = 4;
  EXPECT_EQ(train_on_threads(experiment).exit_code, ExitCode::ok);
  EXPECT_THROW(train_on_threads(experiment), ConfigError);
}

/// Asks for an end once any peer has done `step` steps.
class InterruptAt : public Observer {
 public:
  InterruptAt(std::uint64_t step, StopPoint& stop) : step_(step), stop_(stop) {}

  void on_event(const Event& event) override {
    const auto* done = std::get_if<StepDone>(&event.what);
    if (done != nullptr && done->step >= step_) {
      stop_.request();
    }
  }

 private:
  std::uint64_t step_;
  StopPoint& stop_;
};

TEST_P(TrainEvery, AnInterruptEndsAllPeersAtOneStepAndResumesBitForBit) {
  for (const Kind kind : all_kinds()) {
    const Scratch scratch;
    const Experiment whole = toy(GetParam(), 5, 30);
    Experiment interrupted = whole;
    interrupted.checkpoint.directory = scratch.path();
    StopPoint stop;
    InterruptAt interrupt(11, stop);
    const Summary first = train_on(kind, interrupted, &stop, &interrupt);
    EXPECT_EQ(first.exit_code, ExitCode::interrupted);
    EXPECT_TRUE(first.error.empty()) << first.error;
    EXPECT_GE(first.steps, 11U);
    EXPECT_LT(first.steps, 30U);

    Experiment second = whole;
    second.resume = scratch.path();
    EXPECT_EQ(train_on(kind, second).parameters_sha256, train_on(kind, whole).parameters_sha256);
  }
}

TEST(LastBatch, JoinOutSeesEverySampleOfUnequalShards) {
  for (const std::size_t samples : {858U, 7U}) {
    Experiment experiment = toy("dsgd", 4, 1);
    experiment.data = "toy:samples=" + std::to_string(samples) + ":test=10";
    experiment.steps.reset();
    experiment.epochs = 3.0;
    const Summary summary = train_on_threads(experiment);
    EXPECT_EQ(summary.exit_code, ExitCode::ok) << summary.error;
    EXPECT_EQ(summary.samples_seen, 3 * samples);
  }
}

TEST(LastBatch, DropLastKeepsPeersInStepAndPadFillsUp) {
  Experiment experiment = toy("dsgd", 4, 1);
  experiment.data = "toy:samples=858:test=10";
  experiment.steps.reset();
  experiment.epochs = 3.0;
  experiment.last_batch = objective::LastBatch::drop_last;  // 26 full batches of 8 in 214 samples
  EXPECT_EQ(train_on_threads(experiment).samples_seen, 3U * 4U * 26U * 8U);
  experiment.last_batch = objective::LastBatch::pad;  // 27 batches, the last ones filled
  EXPECT_EQ(train_on_threads(experiment).samples_seen, 3U * 4U * 27U * 8U);
}

TEST(LastBatch, DropLastRefusesShardsWithoutAFullBatch) {
  Experiment experiment = toy("dsgd", 4, 5);
  experiment.data = "toy:samples=7:test=10";
  experiment.last_batch = objective::LastBatch::drop_last;
  EXPECT_THROW(train_on_threads(experiment), ConfigError);
}

TEST_P(TrainEvery, EmptyShardsHaveWeightZeroOrAreRefused) {
  Experiment experiment = toy(GetParam(), 16, 20);
  experiment.partition = "dirichlet:0.01";
  if (GetParam() != "allreduce-sgd") {
    try {
      train_on_threads(experiment);
      FAIL() << "untouched models were averaged";
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr("have no samples"));
    }
    return;
  }
  const Summary summary = train_on_threads(experiment);
  EXPECT_EQ(summary.exit_code, ExitCode::ok) << summary.error;
  EXPECT_THAT(summary.notes, ::testing::Contains(HasSubstr("have no samples")));
}

TEST(EmptyShard, LeavesTheOthersGradientAsItIs) {
  Experiment both = toy("allreduce-sgd", 2, 4);
  both.partition = "fractions:1,0";
  Experiment alone = toy("allreduce-sgd", 1, 4);
  EXPECT_EQ(train_on_threads(both).loss, train_on_threads(alone).loss);
}

TEST(Train, RefusesWhatCannotHappen) {
  Experiment late = toy("dsgd", 2, 5);
  late.injections = {{.peer = 1, .step = 99, .value = 0.0F}};
  EXPECT_THROW(train_on_threads(late), ConfigError);
  Experiment undecided = toy("dsgd", 2, 5);
  undecided.injections = {{.peer = 1, .step = 2, .value = 0.0F}, {.peer = 1, .step = 2}};
  EXPECT_THROW(train_on_threads(undecided), ConfigError);
  Experiment patient = toy("dsgd", 2, 5);
  patient.timeout_seconds = 1e300;
  EXPECT_THROW(train_on_threads(patient), ConfigError);
  Experiment crowd = toy("dsgd", 5000, 5);
  EXPECT_THROW(train_on_threads(crowd), ConfigError);
  Experiment nowhere = toy("dsgd", 2, 5);
  nowhere.export_model = "/no/such/folder/model.safetensors";
  EXPECT_THROW(train_on_threads(nowhere), StorageError);
}

TEST_P(TrainEvery, NotFiniteStopsTheRunWithItsCode) {
  const Scratch scratch;
  Experiment experiment = toy(GetParam(), 4, 20);
  experiment.injections = {
      {.peer = 2, .step = 7, .value = std::numeric_limits<float>::quiet_NaN()}};
  experiment.out = scratch.path();
  const Summary summary = train_on_threads(experiment);
  EXPECT_EQ(summary.exit_code, ExitCode::not_finite);
  EXPECT_THAT(summary.error, HasSubstr("peer 2"));
  EXPECT_THAT(summary.error, HasSubstr("step 7"));
  std::ifstream file(scratch.path() / "summary.json");
  const auto json = nlohmann::json::parse(file);
  EXPECT_EQ(json["exit_code"], 6);
  EXPECT_TRUE(json["accuracy_mean"].is_null());
}

TEST(Checkpoints, AFullDiskStopsOrIsNotedByPolicy) {
  const Scratch scratch;
  std::ofstream(scratch.path() / "file") << "not a directory";
  Experiment experiment = toy("dsgd", 2, 10);
  experiment.checkpoint.directory = scratch.path() / "file" / "checkpoints";
  experiment.checkpoint.every = 5;
  EXPECT_EQ(train_on_threads(experiment).exit_code, ExitCode::storage);
}

TEST(Checkpoints, ADirectoryRemovedInMidRunIsNotedOrStopsByPolicy) {
  const Scratch scratch;
  Experiment experiment = toy("allreduce-sgd", 2, 20);
  experiment.checkpoint.directory = scratch.path() / "checkpoints";
  experiment.checkpoint.every = 5;
  experiment.checkpoint.on_error = OnStorageError::continue_;

  class Remove : public Observer {
   public:
    explicit Remove(std::filesystem::path path) : path_(std::move(path)) {}

    void on_event(const Event& event) override {
      const auto* done = std::get_if<StepDone>(&event.what);
      if (done == nullptr || done->step != 12 || event.from != PeerId{0}) {
        return;
      }
      std::error_code ignored;  // the other peer may write there at the same time
      std::filesystem::remove_all(path_, ignored);
    }

   private:
    std::filesystem::path path_;
  };

  Remove remove(experiment.checkpoint.directory);
  EXPECT_EQ(train_on(Kind::threads, experiment, nullptr, &remove).exit_code, ExitCode::ok);
  std::filesystem::remove_all(experiment.checkpoint.directory);
  experiment.checkpoint.on_error = OnStorageError::stop;
  const Summary summary = train_on(Kind::threads, experiment, nullptr, &remove);
  EXPECT_EQ(summary.exit_code, ExitCode::storage);
  EXPECT_THAT(summary.error, HasSubstr(experiment.checkpoint.directory.string()));
}

TEST(Train, AllreduceWeighsUnequalBatchesBySamples) {
  // 20 samples on 3 peers (7, 7, 6) in one batch each are the union of one peer's batch of 20: the
  // same weighted gradient up to rounding, and not the plain mean of the three.
  Experiment together = toy("allreduce-sgd", 3, 4);
  together.data = "toy:samples=20:test=60";
  together.batch = 7;
  Experiment alone = together;
  alone.peers = 1;
  alone.batch = 20;
  const Summary a = train_on_threads(together);
  const Summary b = train_on_threads(alone);
  EXPECT_EQ(a.samples_seen, b.samples_seen);
  EXPECT_NEAR(a.loss, b.loss, 1e-5);
  EXPECT_NEAR(a.mean_drift, b.mean_drift, 1e-5);
}

TEST(Train, AModelThatOverflowsIsAnError) {
  Experiment experiment = toy("allreduce-sgd", 2, 10);
  experiment.learning_rate.base = 1e38F;
  experiment.not_finite = NotFinite::skip_peer;
  const Summary summary = train_on_threads(experiment);
  EXPECT_EQ(summary.exit_code, ExitCode::not_finite);
  EXPECT_THAT(summary.error, HasSubstr("not finite"));
}

TEST(Train, SkipRoundCannotGoOnWithoutTheLost) {
  Experiment experiment = toy("dsgd", 2, 10);
  experiment.not_finite = NotFinite::skip_round;
  experiment.algorithm_options.on_loss = OnLoss::continue_;
  EXPECT_THROW(train_on_threads(experiment), ConfigError);
}

TEST(Train, WhatNeedsEveryPeerCannotGoOnWithoutTheLost) {
  for (const char* algorithm : {"allreduce-sgd", "dsgd-ceca", "gossip-pga", "local-sgd"}) {
    Experiment experiment = toy(algorithm, 2, 10);
    experiment.algorithm_options.on_loss = OnLoss::continue_;
    try {
      train_on_threads(experiment);
      ADD_FAILURE() << algorithm << " took on-loss continue";
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string("on-loss: ") + algorithm + " cannot go on"));
    }
  }
}

TEST(Train, WritesMetricsLineByLine) {
  const Scratch scratch;
  Experiment experiment = toy("sgp", 3, 20);
  experiment.out = scratch.path();
  experiment.evaluate_every = 10;
  experiment.export_model = scratch.path() / "model.safetensors";
  const Summary summary = train_on_threads(experiment);
  std::map<std::string, int> lines;
  std::ifstream file(scratch.path() / "metrics.jsonl");
  for (std::string line; std::getline(file, line);) {
    ++lines[nlohmann::json::parse(line)["type"].get<std::string>()];
  }
  EXPECT_EQ(lines["config"], 1);
  EXPECT_EQ(lines["step"], 20);
  EXPECT_EQ(lines["peers"], 11);  // at the start and after every second step
  EXPECT_TRUE(std::filesystem::exists(experiment.export_model));
  EXPECT_GT(summary.mean_drift, 0.0);
}

/// Removes the folder that the model is to be exported to once the run is under way.
TEST(Train, AModelThatCannotBeExportedCostsNoResult) {
  const Scratch scratch;
  Experiment experiment = toy("dsgd", 2, 20);
  experiment.out = scratch.path() / "run";
  experiment.export_model = scratch.path() / "models" / "model.safetensors";
  std::filesystem::create_directories(scratch.path() / "models");

  class Remove : public Observer {
   public:
    explicit Remove(std::filesystem::path path) : path_(std::move(path)) {}

    void on_event(const Event& event) override {
      const auto* done = std::get_if<StepDone>(&event.what);
      if (done != nullptr && done->step == 10 && event.from == PeerId{0}) {
        std::filesystem::remove_all(path_);
      }
    }

   private:
    std::filesystem::path path_;
  };

  Remove remove(scratch.path() / "models");
  const Summary summary = train_on(Kind::threads, experiment, nullptr, &remove);
  EXPECT_EQ(summary.exit_code, ExitCode::storage);
  EXPECT_THAT(summary.error, HasSubstr("model.safetensors"));
  EXPECT_GT(summary.accuracy_averaged_model, 0.0);
  std::ifstream file(scratch.path() / "run" / "summary.json");
  EXPECT_EQ(nlohmann::json::parse(file)["exit_code"], 7);
}

TEST(Train, WhoWasSlowIsNotedAtTheEnd) {
  Experiment experiment = toy("allreduce-sgd", 3, 20);
  const auto factory = [](const WorldRequest& request) {
    request.observer->on_event(
        {PeerId{0}, Time(std::chrono::seconds(1)), SlowPeer{PeerId{2}, std::chrono::seconds(5)}});
    return starling::testing::make_world(
        Kind::threads,
        {.peers = request.peers, .seed = request.seed, .observer = request.observer});
  };
  EXPECT_THAT(train(experiment, {.make_world = factory}).notes,
              ::testing::Contains(
                  "peer 2 was slow: others warned 1 time that they wait for it, up to 5 s"));
}

TEST(Train, QuadraticNeedsNoData) {
  Experiment experiment = toy("dsgd", 6, 200);
  experiment.model = "quadratic:d=10:zeta=1:sigma=0";
  const Summary summary = train_on_threads(experiment);
  EXPECT_EQ(summary.exit_code, ExitCode::ok) << summary.error;
  EXPECT_TRUE(std::isnan(summary.accuracy_mean));
  EXPECT_TRUE(std::isfinite(summary.loss));
}

TEST(Train, StepsAndEpochsExcludeEachOther) {
  Experiment experiment = toy("dsgd", 2, 10);
  experiment.epochs = 1.0;
  EXPECT_THROW(train_on_threads(experiment), ConfigError);
  experiment.steps.reset();
  experiment.epochs.reset();
  EXPECT_THROW(train_on_threads(experiment), ConfigError);
}

TEST(Train, OnePeerSaysSoAndSendsNothing) {
  const Summary summary = train_on_threads(toy("gossip-pga", 1, 20));
  EXPECT_EQ(summary.bytes_sent, 0U);
  EXPECT_EQ(summary.messages_sent, 0U);
  EXPECT_THAT(summary.notes, ::testing::Contains("1 peer, nothing to average"));
}

/// The notes of a run of four steps that is resumed to `steps`.
TEST(Train, AMeasuredStepIsToldSoThatItCanBeRepeated) {
  for (const Kind kind : all_kinds()) {
    std::vector<double> told;
    const auto run = [&](double step_seconds) {
      Experiment experiment = toy("dsgd", 4, 10);
      experiment.step_seconds = step_seconds;
      const auto factory = [kind](const WorldRequest& request) {
        return starling::testing::make_world(
            kind, {.peers = request.peers, .seed = request.seed, .observer = request.observer});
      };
      return train(experiment,
                   {.make_world = factory,
                    .virtual_time = kind == Kind::simulation,
                    .on_measured = [&](double measured) { told.push_back(measured); }});
    };
    const Summary first = run(0.0);
    if (kind == Kind::threads) {
      EXPECT_TRUE(told.empty());
      continue;
    }
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told.front(), first.step_seconds);
    EXPECT_GT(told.front(), 0.0);
    const Summary second = run(told.front());
    EXPECT_EQ(told.size(), 1U);
    EXPECT_EQ(second.virtual_seconds, first.virtual_seconds);
    EXPECT_EQ(second.wait_seconds, first.wait_seconds);
  }
}

TEST(Train, TellsItsLengthBeforeTheFirstStep) {
  const Scratch scratch;
  std::vector<std::uint64_t> told;
  const auto train_telling = [&](const Experiment& experiment) {
    const auto factory = [](const WorldRequest& request) {
      return starling::testing::make_world(
          Kind::threads,
          {.peers = request.peers, .seed = request.seed, .observer = request.observer});
    };
    const auto tell = [&](std::uint64_t done, std::uint64_t total) { told = {done, total}; };
    train(experiment, {.make_world = factory, .on_begin = tell});
  };
  // 240 samples on 2 peers in batches of 8: 15 steps an epoch.
  Experiment experiment = toy("dsgd", 2, 0);
  experiment.steps.reset();
  experiment.epochs = 2.0;
  experiment.checkpoint.directory = scratch.path();
  experiment.checkpoint.every = 20;
  train_telling(experiment);
  EXPECT_THAT(told, ::testing::ElementsAre(0, 30));
  experiment.resume = step_directory(scratch.path(), 20);  // the run has saved its end, too
  train_telling(experiment);
  EXPECT_THAT(told, ::testing::ElementsAre(20, 30));
}

/// The words of the refusal; empty if there is none.
std::string refusal_of(Kind kind, const Experiment& experiment) {
  try {
    train_on(kind, experiment);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

TEST(Train, EpochsThatCannotBeCountedAreRefusedByTheirName) {
  for (const double epochs : {1e19, 1e300, 2e9}) {
    Experiment experiment = toy("dsgd", 2, 1);
    experiment.steps.reset();
    experiment.epochs = epochs;
    EXPECT_THAT(refusal_of(Kind::threads, experiment), HasSubstr("epochs: expected 0 to 1e+09"));
    experiment.epochs = 1.0;
    experiment.warmup_epochs = epochs;
    EXPECT_THAT(refusal_of(Kind::threads, experiment),
                HasSubstr("warmup-epochs: expected 0 to 1e+09"));
  }
  EXPECT_EQ(whole_steps(0.0, "epochs"), 0U);
  EXPECT_EQ(whole_steps(4e18, "epochs"), 4'000'000'000'000'000'000U);
  for (const double steps : {-1.0, 1e19, std::nan("")}) {
    EXPECT_THROW(whole_steps(steps, "epochs"), ConfigError) << steps;
  }
}

TEST(Train, ARunBeyondTheVirtualClockIsRefused) {
  Experiment experiment = toy("dsgd", 3, 20'000);
  experiment.step_seconds = 1e6;
  EXPECT_THAT(refusal_of(Kind::simulation, experiment),
              HasSubstr("virtual time: 20000 steps of 1e+06 s last longer than its clock can tell, "
                        "4e+09 s; use fewer --steps or a smaller --step-seconds"));
  EXPECT_EQ(refusal_of(Kind::threads, toy("dsgd", 3, 2)), "");
}

TEST(Train, TheSlowestHostDecidesHowFarTheVirtualClockMustReach) {
  Plan plan;
  plan.experiment.epochs = 1.0;
  plan.total_steps = 1000;
  plan.step_seconds = 10.0;
  EXPECT_NO_THROW(check_clock(plan, 0, 1.0));
  EXPECT_NO_THROW(check_clock(plan, 0, 2.5e-6));
  EXPECT_NO_THROW(check_clock(plan, 500, 1.3e-6));
  plan.step_is_measured = true;
  try {
    check_clock(plan, 0, 2e-6);
    FAIL() << "the clock does not reach as far";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "virtual time: 1000 steps of 10 s (measured) on a host of speed 2e-06 last longer "
                 "than its clock can tell, 4e+09 s; use fewer --epochs");
  }
}

}  // namespace
}  // namespace starling::trainer
