// Going on from checkpoints: when it gives the same run, when it says that it does not, when it is
// refused.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/trainer/checkpoint.hpp"
#include "starling/trainer/toy_runs.hpp"
#include "starling/trainer/train.hpp"

#include "tests/support/temp_directory.hpp"

namespace starling::trainer {
namespace {

using Scratch = starling::testing::TempDirectory;
using ::testing::HasSubstr;

TEST(Resume, AnotherNumberOfPeersVisitsTheRestOfTheEpochOnce) {
  const Scratch scratch;
  Experiment first = toy("dsgd", 4, 3);
  first.data = "toy:samples=250:test=60";
  // 4 peers * 3 steps * 8 of 250 samples
  EXPECT_EQ(train_to_checkpoint(first, 3, scratch.path()).samples_seen, 96U);
  for (const std::size_t peers : {1U, 3U, 6U}) {
    Experiment second = first;
    second.peers = peers;
    second.resume = scratch.path();
    // The rest, 154 samples in steps of 8 a peer, takes ceil(ceil(154 / n) / 8) steps.
    const std::size_t steps = ((154 + peers - 1) / peers + 7) / 8;
    second.steps = 3 + steps;
    const Summary summary = train_on_threads(second);
    EXPECT_EQ(summary.samples_seen, 250U) << peers;
    EXPECT_THAT(summary.notes, ::testing::Contains(HasSubstr("154"))) << peers;
  }
}

TEST(Resume, AnotherNumberOfPeersIsRefusedWhereTheProblemDependsOnIt) {
  for (const bool quadratic : {true, false}) {
    const Scratch scratch;
    Experiment first = toy("dsgd", 3, 4);
    if (quadratic) {
      first.model = "quadratic:d=5";
    } else {
      first.data = "synthetic-logistic:samples=40";
      first.partition = "own";
    }
    train_to_checkpoint(first, 4, scratch.path());
    Experiment second = first;
    second.peers = 4;
    second.steps = 8;
    second.resume = scratch.path();
    EXPECT_THROW(train_on_threads(second), ConfigError);
  }
}

TEST(Resume, AnotherExperimentIsRefused) {
  const Scratch scratch;
  train_to_checkpoint(toy("dsgd", 2, 4), 4, scratch.path());
  Experiment second = toy("dsgd", 2, 8);
  second.learning_rate.base = 0.1F;
  second.resume = scratch.path();
  try {
    train_on_threads(second);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("lr"));
  }
}

TEST(Resume, AnotherNumberOfPeersDoesAllEpochs) {
  const Scratch scratch;
  Experiment first = toy("dsgd", 4, 1);
  first.data = "toy:samples=858:test=10";
  train_to_checkpoint(first, 40, scratch.path());  // 27 an epoch: in the middle of the second
  Experiment second = first;
  second.peers = 7;
  second.steps.reset();
  second.epochs = 3.0;
  second.resume = scratch.path();
  EXPECT_EQ(train_on_threads(second).samples_seen, 3U * 858U);
}

TEST(Resume, ACheckpointAtOrBeyondTheEndIsRefused) {
  const Scratch scratch;
  Experiment experiment = toy("dsgd", 2, 4);
  train_to_checkpoint(experiment, 4, scratch.path());
  experiment.resume = scratch.path();
  EXPECT_THROW(train_on_threads(experiment), ConfigError);
}

TEST(Resume, EveryOptionThatDecidesTheResultIsCompared) {
  const std::vector<std::function<void(Experiment&)>> changes{
      [](Experiment& e) { e.seed = 8; },
      [](Experiment& e) { e.algorithm = "sgp"; },
      [](Experiment& e) { e.algorithm_options.topology = "ring"; },
      [](Experiment& e) { e.algorithm_options.order = algorithm::Order::combine_while_computing; },
      [](Experiment& e) { e.algorithm_options.on_loss = OnLoss::continue_; },
      [](Experiment& e) { e.l2 = 0.1F; },
      [](Experiment& e) { e.partition = "shards:2"; },
      [](Experiment& e) { e.batch = 4; },
      [](Experiment& e) { e.last_batch = objective::LastBatch::pad; },
      [](Experiment& e) { e.optimizer.name = "momentum"; },
      [](Experiment& e) { e.optimizer.weight_decay = 0.1F; },
      [](Experiment& e) { e.learning_rate.warmup_steps = 5; },
      [](Experiment& e) { e.learning_rate.schedule = "cosine"; },
      [](Experiment& e) { e.not_finite = NotFinite::skip_peer; }};
  const Scratch scratch;
  const Experiment first = toy("dsgd", 2, 4);
  train_to_checkpoint(first, 4, scratch.path());
  for (std::size_t k = 0; k < changes.size(); ++k) {
    Experiment second = first;
    second.steps = 6;
    second.resume = scratch.path();
    changes[k](second);
    EXPECT_THROW(train_on_threads(second), DataError) << "change " << k;
  }
}

TEST(Resume, InTheMiddleOfACycleOfCecaIsBitForBit) {
  // Six peers: 5 is 101 in binary, so the second of three rounds sends the other model, which only
  // the checkpoint remembers.
  for (const std::uint64_t ports : {1U, 2U}) {
    Experiment whole = toy("dsgd-ceca", 6, 14);
    whole.algorithm_options.ports = ports;
    whole.optimizer.name = "momentum";
    const std::string expected = train_on_threads(whole).parameters_sha256;
    for (const std::uint64_t done : {6U, 7U, 8U}) {
      const Scratch scratch;
      train_to_checkpoint(whole, done, scratch.path());
      Experiment second = whole;
      second.resume = scratch.path();
      EXPECT_EQ(train_on_threads(second).parameters_sha256, expected)
          << ports << " ports, " << done << " steps";
    }
  }
}

TEST(Resume, ACycleOfCecaBeginsAnewWithAnotherNumberOfPeers) {
  const Scratch scratch;
  train_to_checkpoint(toy("dsgd-ceca", 6, 7), 7, scratch.path());
  Experiment second = toy("dsgd-ceca", 5, 12);  // one is lost
  second.resume = scratch.path();
  const Summary summary = train_on_threads(second);
  EXPECT_EQ(summary.exit_code, ExitCode::ok) << summary.error;
  EXPECT_EQ(summary.steps, 12U);
}

TEST(Resume, AnotherNumberOfPortsIsRefused) {
  const Scratch scratch;
  train_to_checkpoint(toy("dsgd-ceca", 6, 4), 4, scratch.path());
  Experiment second = toy("dsgd-ceca", 6, 6);
  second.algorithm_options.ports = 1;
  second.resume = scratch.path();
  try {
    train_on_threads(second);
    FAIL() << "ports may change";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("ports"));
  }
}

TEST(Resume, AnInjectionIntoAStepThatIsDoneIsRefused) {
  const Scratch scratch;
  train_to_checkpoint(toy("dsgd", 2, 4), 4, scratch.path());
  Experiment experiment = toy("dsgd", 2, 8);
  experiment.resume = scratch.path();
  experiment.not_finite = NotFinite::stop;
  experiment.injections = {{.peer = 1, .step = 3, .value = 0.0F}};
  EXPECT_THROW(train_on_threads(experiment), ConfigError);
}

std::vector<std::string> notes_of_resume(const optimizer::LearningRateOptions& rate,
                                         std::uint64_t steps) {
  const Scratch scratch;
  Experiment experiment = toy("dsgd", 2, 4);
  experiment.learning_rate = rate;
  experiment.checkpoint.directory = scratch.path();
  experiment.checkpoint.every = 3;
  train_on_threads(experiment);
  experiment.resume = step_directory(scratch.path(), 3);
  experiment.steps = steps;
  return train_on_threads(experiment).notes;
}

TEST(Resume, AnotherLengthIsNotedWhereTheLearningRateFollowsIt) {
  const auto note =
      HasSubstr("the learning rate follows the length of the run: it was 4 steps, it is 8 now");
  EXPECT_THAT(notes_of_resume({.schedule = "cosine"}, 8), ::testing::Contains(note));
  EXPECT_THAT(notes_of_resume({.schedule = "step", .drop_at = {6.0, 0.5}}, 8),
              ::testing::Contains(note));
  const auto any = HasSubstr("the learning rate follows");
  EXPECT_THAT(notes_of_resume({.schedule = "cosine"}, 4), ::testing::Not(::testing::Contains(any)));
  EXPECT_THAT(notes_of_resume({.schedule = "step", .drop_at = {6.0}}, 8),
              ::testing::Not(::testing::Contains(any)));
  EXPECT_THAT(notes_of_resume({}, 8), ::testing::Not(::testing::Contains(any)));
}

TEST(Resume, PartsOfEpochsAreCountedAnew) {
  const Scratch scratch;
  Experiment first = toy("dsgd", 4, 1);
  first.data = "toy:samples=858:test=10";
  train_to_checkpoint(first, 40, scratch.path());  // 27 an epoch: in the middle of the second
  // 858 - 4 * 13 * 8 = 442 samples are left of it, at most 64 for one of 7 peers: 8 steps. Later
  // epochs have ceil(123 / 8) = 16.
  const std::vector<std::pair<double, std::uint64_t>> lengths{
      {2.0, 48}, {2.4, 48 + 7}, {2.5, 48 + 8}, {4.0, 48 + 32}, {1e9, 48 + 999'999'998ULL * 16}};
  for (const auto& [epochs, expected] : lengths) {
    Experiment second = first;
    second.peers = 7;
    second.steps.reset();
    second.epochs = epochs;
    second.resume = scratch.path();
    std::uint64_t begun = 0;
    std::uint64_t length = 0;
    const auto no_world = [](const WorldRequest&) -> std::unique_ptr<World> {
      throw Error(ExitCode::configuration, "the length is known, that is enough");
    };
    EXPECT_THROW(train(second,
                       {.make_world = no_world,
                        .on_begin =
                            [&](std::uint64_t done, std::uint64_t total) {
                              begun = done;
                              length = total;
                            }}),
                 Error);
    EXPECT_EQ(begun, 40U);
    EXPECT_EQ(length, expected) << epochs;
  }
}

TEST(Resume, StepsThatAreDoneTakeNoVirtualTime) {
  const Scratch scratch;
  Experiment experiment = toy("dsgd", 1, 6);
  train_to_checkpoint(experiment, 3, scratch.path());
  experiment.step_seconds = 1e6;
  const auto on_slow_host = [&] {
    return train(experiment,
                 {.make_world =
                      [](const WorldRequest& request) {
                        return testing::make_world(testing::Kind::threads,
                                                   {.peers = request.peers, .seed = request.seed});
                      },
                  .virtual_time = true,
                  .slowest_speed = 1e-3});  // four steps fit into the clock
  };
  EXPECT_THROW(on_slow_host(), ConfigError);
  experiment.resume = scratch.path();
  EXPECT_EQ(on_slow_host().steps, 6U);
}

}  // namespace
}  // namespace starling::trainer
