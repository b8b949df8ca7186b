// What the program says to mistakes, before anything runs.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/cli/process.hpp"
#include "tests/support/temp_directory.hpp"

namespace starling::testing {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Configuration : public ::testing::Test {
 protected:
  Outcome train(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "train");
    return run_program(
        {.arguments = std::move(arguments), .environment = {}, .directory = folder_.path()});
  }

  Outcome train_with_config(const std::string& toml, std::vector<std::string> arguments = {}) {
    put_content(folder_ / "run.toml", toml);
    arguments.insert(arguments.end(), {"--config", "run.toml"});
    return train(std::move(arguments));
  }

  TempDirectory folder_;
};

TEST_F(Configuration, AllMistakesOfAFileAreShownAtOnceWithLineKeyAndSuggestion) {
  const Outcome outcome = train_with_config(R"([run]
peers = 4
peers = 5
learning_rte = 0.1

[algorithm]
topology = "exponental"
lr = 0.1

[data]
batch = "32x"

[optimiser]
momentum = 2
)");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  const std::string rest =
      outcome.err.substr(std::min(outcome.err.find("run.toml:8"), outcome.err.size()));
  EXPECT_EQ(outcome.err.substr(0, outcome.err.find("run.toml:7")),
            "run.toml:3: peers: is given twice in its section\n"
            "run.toml:4: learning_rte: unknown key; did you mean 'lr'?\n");
  EXPECT_EQ(rest,
            "run.toml:8: lr: is in [algorithm], but belongs in [optimizer]\n"
            "run.toml:11: batch: expected a whole number, found the string \"32x\"\n"
            "run.toml:13: [optimiser]: unknown section; did you mean 'optimizer'?\n");
  EXPECT_TRUE(contains(outcome.err, "run.toml:7: topology: ")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "did you mean 'exponential'?")) << outcome.err;
}

TEST_F(Configuration, MistakesOnTheCommandLineAreShownWithThoseOfTheFile) {
  const Outcome outcome = train_with_config(
      "[run]\npeers = 0\n", {"--algoritm", "sgp", "--lr", "-0.1", "--steps", "ten"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "run.toml:2: peers: expected a whole number, 1 to 100000, found '0'\n"
            "command line: --algoritm: unknown option; did you mean 'algorithm'?\n"
            "command line: steps: expected a whole number, at least 1, found 'ten'\n"
            "command line: lr: expected a number, at least 0, found '-0.1'\n");
}

TEST_F(Configuration, ABrokenFileIsRefusedWithItsLine) {
  const Outcome outcome = train_with_config("[run]\npeers: 4\n");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.err, "run.toml:2: ")) << outcome.err;
}

TEST_F(Configuration, AFileThatIsNotThereIsRefused) {
  const Outcome outcome = train({"--config", "none.toml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "none.toml: cannot read the configuration: No such file or directory\n");
}

TEST_F(Configuration, StepsAndEpochsExcludeEachOther) {
  const Outcome outcome = train({"--steps", "5", "--epochs", "2"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "command line: steps: and epochs (command line) are both given; keep one\n");
}

TEST_F(Configuration, StepsOnTheCommandLineReplaceEpochsInTheFile) {
  const Outcome outcome =
      train_with_config("[run]\nepochs = 2\n", {"--steps", "5", "--print-config"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "steps = 5")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "\nepochs")) << outcome.out;
}

TEST_F(Configuration, EveryValueIsShownWithItsSource) {
  const Outcome outcome =
      train_with_config("[run]\npeers = 4\nseed = 9\n", {"--seed", "3", "--print-config"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "peers = 4                                # run.toml:2\n"))
      << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "seed = 3                                 # command line\n"));
  EXPECT_TRUE(contains(outcome.out, "lr = 0.05                                # default\n"));
}

TEST_F(Configuration, ThePrintedConfigurationGivesTheSameConfiguration) {
  const Outcome first =
      train({"--peers",       "4",       "--algorithm",  "gossip-pga", "--period",     "3",
             "--optimizer",   "adam",    "--beta1",      "0.85",       "--lr",         "1e-3",
             "--lr-schedule", "step",    "--lr-drop-at", "0.5,0.75",   "--steps",      "7",
             "--inject",      "1:2:nan", "--inject",     "0:3:inf",    "--not-finite", "skip-peer",
             "--print-config"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const Outcome second = train_with_config(first.out, {"--print-config"});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  const auto without_sources = [](const std::string& text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      result += text.substr(at, std::min(end, text.find(" # ", at)) - at) + "\n";
      at = end + 1;
    }
    return result;
  };
  EXPECT_EQ(without_sources(first.out), without_sources(second.out));
}

TEST_F(Configuration, NumbersAreReadAndPrintedAlikeInEveryLocale) {
  // A locale that is not installed counts as C; where it is, "0,1" would show up here.
  for (const char* locale : {"C", "de_DE.UTF-8", "fr_FR.UTF-8"}) {
    const Outcome outcome = run_program({.arguments = {"train", "--lr", "0.125", "--print-config"},
                                         .environment = {{"LC_ALL", locale}},
                                         .directory = folder_.path()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "lr = 0.125 ")) << locale << outcome.out;
  }
}

struct Slip {
  const char* name;
  std::vector<std::string> arguments;
  std::string message;
};

class SlipOfTheFingers : public ::testing::TestWithParam<Slip> {};

TEST_P(SlipOfTheFingers, IsShownWithItsOptionAndWhatWasExpected) {
  std::vector<std::string> arguments{"train"};
  arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  const Outcome outcome = run_starling(arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "command line: " + GetParam().message + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    All,
    SlipOfTheFingers,
    ::testing::Values(
        Slip{"NoValue", {"--lr"}, "--lr: expected X (at least 0), found nothing"},
        Slip{"NoValueButAnOption",
             {"--lr", "--steps"},
             "--lr: expected X (at least 0), found --steps"},
        Slip{"MoreThanAFloatHolds",
             {"--weight-decay", "1e300"},
             "weight-decay: expected a number, at least 0, found '1e300', which is inf in 32 bits"},
        Slip{"AFractionOfOne",
             {"--optimizer", "momentum", "--momentum", "1"},
             "momentum: expected a number, 0 to below 1, found '1'"},
        Slip{"HalfAPolicy",
             {"--not-finite", "skip"},
             "not-finite: 'skip' is unknown; did you mean 'skip-peer' or 'skip-round'?"},
        Slip{"AListWithoutCommas",
             {"--lr-schedule", "step", "--lr-drop-at", "0.5;0.7"},
             "lr-drop-at: expected numbers, each above 0, with commas between them, found "
             "'0.5;0.7'"},
        Slip{"AScheduleWithoutPlaces",
             {"--lr-schedule", "step"},
             "lr-schedule: learning rate: schedule 'step' needs at least one place to drop at; "
             "give --lr-drop-at"},
        Slip{"AnInjectionWithoutValue",
             {"--inject", "1:2"},
             "inject: expected PEER:STEP:nan or PEER:STEP:inf, found '1:2'"},
        // Found in the text, before libtorch is opened.
        Slip{"ANetworkWithoutUnits",
             {"--model", "mlp:0"},
             "model: 'mlp:0': a size must be a whole number from 1 to 65536, found '0'; sizes are "
             "written like 512x256"},
        Slip{"ANameThatIsNone",
             {"--model", "mpl"},
             "model: 'mpl': there is no such name; did you mean 'mlp'?"}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

struct WithoutEffect {
  const char* name;
  std::vector<std::string> arguments;
  std::string message;
};

class OptionWithoutEffect : public ::testing::TestWithParam<WithoutEffect> {};

TEST_P(OptionWithoutEffect, IsRefusedNamingWhoTakesIt) {
  std::vector<std::string> arguments{"train"};
  arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  const Outcome outcome = run_starling(arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "command line: " + GetParam().message + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    All,
    OptionWithoutEffect,
    ::testing::Values(
        WithoutEffect{
            "PeriodForDsgd",
            {"--algorithm", "dsgd", "--period", "4"},
            "period: has no effect with algorithm dsgd; gossip-pga and local-sgd take it"},
        WithoutEffect{"OrderForSgp",
                      {"--algorithm", "sgp", "--order", "adapt-then-combine"},
                      "order: has no effect with algorithm sgp; dsgd takes it"},
        WithoutEffect{"PlatformOnThreads",
                      {"--platform", "lan"},
                      "platform: has no effect with on threads; on sim takes it"},
        WithoutEffect{"FaultsOnThreads",
                      {"--faults", "kill:0.01"},
                      "faults: has no effect with on threads; on sim takes it"},
        WithoutEffect{"StepSecondsOnThreads",
                      {"--step-seconds", "0.1"},
                      "step-seconds: has no effect with on threads; on sim takes it"},
        WithoutEffect{"MomentumWithSgd",
                      {"--momentum", "0.9"},
                      "momentum: has no effect with optimizer sgd; momentum and nesterov take it"},
        WithoutEffect{"BetaWithMomentum",
                      {"--optimizer", "momentum", "--beta1", "0.9"},
                      "beta1: has no effect with optimizer momentum; adam takes it"},
        WithoutEffect{"DropsWithoutSteps",
                      {"--lr-drop-at", "0.5"},
                      "lr-drop-at: has no effect with lr-schedule constant; step takes it"},
        WithoutEffect{"CheckpointsWithoutFolder",
                      {"--checkpoint-every", "5"},
                      "checkpoint-every: has no effect without a folder; add --out or "
                      "--checkpoint-dir"},
        WithoutEffect{"OverwriteWithoutFolder",
                      {"--overwrite"},
                      "overwrite: has no effect without a folder; add --out or --checkpoint-dir"},
        WithoutEffect{"OverwriteOfAResumedRun",
                      {"--overwrite", "--out", "x", "--resume", "y"},
                      "overwrite: has no effect with --resume, which goes on with the files that "
                      "are there"},
        WithoutEffect{"HowManyAreKeptOfOneCheckpoint",
                      {"--checkpoint-keep", "3", "--out", "x"},
                      "checkpoint-keep: has no effect without --checkpoint-every: an interrupt "
                      "saves one checkpoint"},
        WithoutEffect{"TestsThatNobodyReads",
                      {"--evaluate-every", "5"},
                      "evaluate-every: has no effect without --out, where metrics.jsonl would take "
                      "it"},
        WithoutEffect{"MetricsThatNobodyReads",
                      {"--metrics-every", "5", "--checkpoint-dir", "x"},
                      "metrics-every: has no effect without --out, where metrics.jsonl would take "
                      "it"},
        WithoutEffect{"AWarningBehindTheDeadline",
                      {"--slow-warning", "3", "--timeout", "3"},
                      "slow-warning: has no effect: no wait lasts longer than timeout, 3.0 s"},
        WithoutEffect{"QuietAndVerbose",
                      {"--quiet", "--verbose"},
                      "verbose: and quiet exclude each other; keep one"},
        WithoutEffect{
            "DataOfAProblemWithoutAny",
            {"--model", "quadratic", "--steps", "5", "--data", "toy"},
            "data: has no effect with model quadratic; logistic, linear, mlp and cnn take "
            "it"},
        WithoutEffect{"BatchOfAProblemWithoutData",
                      {"--model", "quadratic", "--steps", "5", "--batch", "3"},
                      "batch: has no effect with model quadratic; logistic, linear, mlp and cnn "
                      "take it"},
        WithoutEffect{"L2OfANetwork",
                      {"--l2", "0.1"},
                      "l2: has no effect with model linear; logistic takes it"},
        WithoutEffect{
            "FinalFractionOfAConstantRate",
            {"--lr-final-fraction", "0.1"},
            "lr-final-fraction: has no effect with lr-schedule constant; cosine takes it"},
        WithoutEffect{"StragglersOnThreads",
                      {"--stragglers", "1x2"},
                      "stragglers: has no effect with on threads; on sim takes it"},
        WithoutEffect{"HostSpeedsOnThreads",
                      {"--host-speeds", "1"},
                      "host-speeds: has no effect with on threads; on sim takes it"},
        WithoutEffect{"GivenTwice",
                      {"--seed", "1", "--seed", "2", "--print-config"},
                      "--seed: is given twice: 1,2"}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

TEST_F(Configuration, OnePortForAnOddNumberOfPeersIsRefusedByItsKey) {
  const Outcome outcome =
      train({"--algorithm", "dsgd-ceca", "--ports", "1", "--peers", "7", "--steps", "3"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "command line: ports: 1 port pairs all peers in every round, which takes an even "
            "number of them, found 7; use --ports 2 for any number, or --algorithm dsgd "
            "--topology base:1, which pairs most of them in a round; nearest with 1 port: 6, 8\n");
}

TEST_F(Configuration, CecaTakesNoPolicyOnLosses) {
  const Outcome outcome =
      train({"--algorithm", "dsgd-ceca", "--on-loss", "continue", "--steps", "3"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "command line: on-loss: has no effect with algorithm dsgd-ceca; dsgd and sgp take "
            "it\n");
}

}  // namespace
}  // namespace starling::testing
