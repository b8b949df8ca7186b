// starling average from outside: what it prints, what it leaves, how it ends.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/process.hpp"
#include "tests/support/temp_directory.hpp"

namespace starling::testing {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool build_has_simulation() {
  return contains(run_starling({"--version"}).out, "sim");
}

Outcome average(Words words) {
  words.insert(words.begin(), "average");
  return run_starling(words);
}

nlohmann::json json_of(Words words) {
  words.emplace_back("--json");
  const Outcome outcome = average(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return nlohmann::json::parse(outcome.out, nullptr, false);
}

/// Floats around 0.03, the mean of 1,024 numbers, that differ in their last digits have a variance
/// of some 2^-58; it is 1e-3 if the mean is that of 32.
constexpr double kExact = 1e-14;

TEST(Average, AGridOf32By32HasTheExactMeanOf1024PeersInTwoRounds) {
  const auto json = json_of({"--averager",
                             "moshpit-grid",
                             "--peers",
                             "1024",
                             "--grid",
                             "32x32",
                             "--rounds",
                             "3",
                             "--dim",
                             "8"});
  const auto& rounds = json.at("rounds");
  ASSERT_EQ(rounds.size(), 3U);
  EXPECT_NEAR(rounds[0].at("variance").get<double>(), 1.0 / 32.0, 0.01);
  EXPECT_LT(rounds[1].at("variance"), kExact);
  EXPECT_LT(rounds[1].at("distance_to_initial_mean"), 1e-7);
  EXPECT_EQ(json.at("rounds_to").at("1e-4"), 2.0);
  EXPECT_EQ(json.at("rounds_to").at("1e-9"), 2.0);
  EXPECT_GT(rounds[2].at("bytes_per_peer"), 0.0);
}

TEST(Average, JsonHasTheDocumentedFields) {
  const auto json = json_of({"--peers", "3", "--rounds", "2"});
  ASSERT_EQ(json.size(), 2U);
  ASSERT_EQ(json.at("rounds").size(), 2U);
  for (const auto& round : json.at("rounds")) {
    for (const char* field :
         {"round", "variance", "distance_to_initial_mean", "consensus_error", "bytes_per_peer"}) {
      EXPECT_TRUE(round.at(field).is_number()) << field;
    }
    EXPECT_EQ(round.size(), 5U);
  }
  EXPECT_EQ(json.at("rounds")[0].at("round"), 1);
  EXPECT_TRUE(json.at("rounds_to").contains("1e-4"));
  EXPECT_TRUE(json.at("rounds_to").at("1e-9").is_null());  // two rounds are not enough for three
}

TEST(Average, ShowsATable) {
  const Outcome outcome = average({"--averager",
                                   "ring",
                                   "--peers",
                                   "4",
                                   "--rounds",
                                   "30",
                                   "--repeats",
                                   "2",
                                   "--failure-rate",
                                   "0.1",
                                   "--dim",
                                   "5"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* part : {"averager  gossip over ring\n",
                           "peers     4 on threads, 5 numbers each, seed 1\n",
                           "failures  10 % of the peers a round\n",
                           "repeats   2,",
                           "ROUND  VARIANCE",
                           "\n30 ",
                           "(20 of 30 rounds; --json has all)\n",
                           "variance 1e-4 reached",
                           "wall time"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
  }
}

TEST(Average, TheSimulatedWorldGivesTheSameNumbersAndATime) {
  if (!build_has_simulation()) {
    const Outcome outcome = average({"--on", "sim"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "on: this build has no simulation")) << outcome.err;
    return;
  }
  const Words run{"--averager", "push-sum:exponential", "--peers", "6", "--failure-rate", "0.2"};
  Words simulated = run;
  simulated.insert(simulated.end(), {"--on", "sim", "--platform", "wan", "--repeats", "1"});
  EXPECT_EQ(json_of(run), json_of(simulated));
  EXPECT_TRUE(contains(average(simulated).out, "virtual time"));
}

TEST(Average, LeavesItsConfigurationWhichGivesTheSameNumbers) {
  const TempDirectory folder;
  const std::string out = (folder / "run").string();
  const auto first =
      json_of({"--peers", "5", "--averager", "moshpit-grid", "--seed", "9", "--out", out});
  const Outcome again =
      average({"--config", out + "/config.toml", "--out", (folder / "again").string()});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(nlohmann::json::parse(again.out), first);  // --json stands in it
  const auto summary = nlohmann::json::parse(content_of(folder / "run/summary.json"));
  EXPECT_EQ(summary.at("rounds"), first.at("rounds"));
  EXPECT_EQ(summary.at("how"), "groups of grid 3x2, weights equal");
  EXPECT_EQ(summary.at("seed"), 9);
}

TEST(Average, AnEarlierRunIsNotLostByAccident) {
  const TempDirectory folder;
  const Words run{"--peers", "2", "--rounds", "1", "--out", (folder / "run").string()};
  EXPECT_EQ(average(run).exit_code, 0);
  const Outcome refused = average(run);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err,
            "starling: error: --out " + (folder / "run").string() +
                ": holds a run already (summary.json); choose another folder or --overwrite it\n");
  Words over = run;
  over.emplace_back("--overwrite");
  EXPECT_EQ(average(over).exit_code, 0);
}

TEST(Average, ThePrintedConfigurationIsOne) {
  const TempDirectory folder;
  const Outcome first = average({"--averager",
                                 "moshpit-grid",
                                 "--grid",
                                 "4x4x4",
                                 "--peers",
                                 "60",
                                 "--failure-rate",
                                 "0.25",
                                 "--print-config"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_TRUE(contains(first.out, "[averaging]\naverager = \"moshpit-grid\" ")) << first.out;
  EXPECT_FALSE(contains(first.out, "weights = \"auto\"")) << first.out;  // of topologies
  put_content(folder / "run.toml", first.out);
  const Outcome second = average({"--config", (folder / "run.toml").string(), "--print-config"});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_TRUE(contains(second.out, "grid = \"4x4x4\"")) << second.out;
  EXPECT_TRUE(contains(second.out, "failure-rate = 0.25")) << second.out;
}

TEST(Average, AnInterruptEndsItAtOnce) {
  const TempDirectory folder;
  Process process(
      {.arguments =
           {"average", "--peers", "4", "--rounds", "1000000", "--out", (folder / "run").string()},
       .environment = {},
       .directory = {}});
  while (!std::filesystem::exists(folder / "run/config.toml") && !process.ends_within(5ms)) {
  }
  process.send(SIGINT);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_TRUE(contains(outcome.err, "interrupted")) << outcome.err;
  EXPECT_LT(outcome.after_signal, 5s);
  EXPECT_FALSE(std::filesystem::exists(folder / "run/summary.json"));
}

TEST(Average, ATerminalSeesHowFarItIs) {
  const Outcome outcome = run_on_terminal({.arguments = {"average", "--peers", "64"},
                                           .environment = {{"TERM", "xterm"}},
                                           .directory = {}},
                                          80);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "round 0/20")) << outcome.out;
}

struct Refusal {
  const char* name;
  Words arguments;
  std::string message;
};

class AverageRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(AverageRefusal, IsShownWithItsOptionAndWhatWasExpected) {
  const Outcome outcome = average(GetParam().arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "command line: " + GetParam().message + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    All,
    AverageRefusal,
    ::testing::Values(
        Refusal{"AnUnknownAverager",
                {"--averager", "moshpit"},
                "averager: unknown name 'moshpit'; did you mean 'moshpit-grid'?"},
        Refusal{"AShapeThatDoesNotExist",
                {"--averager", "hypercube", "--peers", "9"},
                "averager: topology hypercube: expected a power of two of peers, found 9; "
                "nearest: 8, 16"},
        Refusal{"AGridThatIsTooSmall",
                {"--averager", "moshpit-grid", "--peers", "10", "--grid", "3x3"},
                "grid: '3x3' has 9 cells for 10 peers; 4x3 holds 10 peers"},
        Refusal{"AnUnknownCollective",
                {"--averager", "all-reduce", "--collective", "rng"},
                "collective: no algorithm is called 'rng'; did you mean 'ring'?"},
        Refusal{"WeightsWithoutEdges",
                {"--averager", "all-reduce", "--weights", "lazy"},
                "weights: has no effect with averager all-reduce; push-sum:TOPOLOGY and TOPOLOGY "
                "take it"},
        Refusal{"AGridWithoutGroups",
                {"--averager", "ring", "--grid", "4x4"},
                "grid: has no effect with averager ring; moshpit-grid takes it"},
        Refusal{"ACollectiveForGossip",
                {"--collective", "ring"},
                "collective: has no effect with averager exponential; all-reduce and moshpit-grid "
                "take it"},
        Refusal{"PlatformOnThreads",
                {"--platform", "lan"},
                "platform: has no effect with on threads; on sim takes it"},
        Refusal{"OverwriteWithoutFolder",
                {"--overwrite"},
                "overwrite: has no effect without a folder; add --out"},
        Refusal{"MoreThanAlways",
                {"--failure-rate", "1.5"},
                "failure-rate: expected a number, 0 to 1, found '1.5'"},
        Refusal{"NoRounds",
                {"--rounds", "0"},
                "rounds: expected a whole number, 1 to 1000000, found '0'"},
        Refusal{
            "NoValue", {"--failure-rate"}, "--failure-rate: expected P (0 to 1), found nothing"},
        Refusal{"AnOptionOfTrain",
                {"--momentum", "0.1"},
                "--momentum: unknown option; see starling average "
                "--help"},
        Refusal{"ANearlyRightOption",
                {"--failures", "0.1"},
                "--failures: unknown option; did you mean 'failure-rate'?"}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(Average, MistakesOfAFileAreShownWithLineAndKey) {
  const TempDirectory folder;
  put_content(
      folder / "run.toml",
      "[run]\npeers = 4\nmomentum = 0.1\n[averagng]\ndim = 2\n[averaging]\nrounds = \"x\"\n");
  const std::string name = (folder / "run.toml").string();
  const Outcome outcome = average({"--config", name});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            name + ":3: momentum: unknown key; see starling average --help\n" + name +
                ":4: [averagng]: unknown section; did you mean 'averaging'?\n" + name +
                ":7: rounds: expected a whole number, found the string \"x\"\n");
}

TEST(Average, MorePeersThanThreadsAreRefused) {
  const Outcome outcome = average({"--peers", "5000", "--averager", "ring"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.err, "4096")) << outcome.err;
}

}  // namespace
}  // namespace starling::testing
