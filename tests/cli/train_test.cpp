// starling train from outside: what it prints, what it leaves, how it ends.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "starling/algorithm/registry.hpp"

#include "tests/cli/process.hpp"
#include "tests/support/temp_directory.hpp"

namespace starling::testing {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

/// A run of a few milliseconds, without libtorch and without files of data.
Words small_run(const Words& more) {
  Words words{"train", "--model", "logistic", "--data", "toy"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

nlohmann::json summary_of(Words words) {
  words.emplace_back("--json");
  const Outcome outcome = run_starling(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out, nullptr, false);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool build_has_simulation() {
  return contains(run_starling({"--version"}).out, "sim");
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

TEST(Train, ShowsATableAndLeavesItsFiles) {
  const TempDirectory folder;
  const std::string out = (folder / "run").string();
  const Outcome outcome = run_starling(small_run({"--peers", "2", "--steps", "20", "--out", out}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* line : {"algorithm  ",
                           "loss, averaged model",
                           "accuracy, averaged model",
                           "accuracy, peers' own models",
                           "consensus distance",
                           "drift of the mean",
                           "sent ",
                           "time of a peer",
                           "wall time",
                           "parameters "}) {
    EXPECT_TRUE(contains(outcome.out, line)) << line << "\n" << outcome.out;
  }
  const auto summary = nlohmann::json::parse(content_of(folder / "run/summary.json"));
  EXPECT_TRUE(contains(outcome.out, summary.at("parameters_sha256").get<std::string>()));
  EXPECT_EQ(summary.at("steps"), 20);
  EXPECT_EQ(summary.at("exit_code"), 0);
  const std::string metrics = content_of(folder / "run/metrics.jsonl");
  EXPECT_GE(lines_in(metrics), 21U);  // a configuration and a line a step
}

TEST(Train, TheConfigurationItLeavesGivesTheSameBits) {
  const TempDirectory folder;
  const std::string first = (folder / "first").string();
  const std::string second = (folder / "second").string();
  const auto one = summary_of(small_run({"--peers",
                                         "3",
                                         "--algorithm",
                                         "sgp",
                                         "--optimizer",
                                         "momentum",
                                         "--lr",
                                         "0.03",
                                         "--steps",
                                         "25",
                                         "--seed",
                                         "5",
                                         "--out",
                                         first}));
  const Outcome again = run_starling(
      {"train", "--config", first + "/config.toml", "--out", second});  // --json stands in it
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const auto two = nlohmann::json::parse(again.out);
  EXPECT_EQ(one.at("parameters_sha256"), two.at("parameters_sha256"));
}

TEST(Train, TheConfigurationOfASimulationGivesTheSameTimes) {
  if (!build_has_simulation()) {
    GTEST_SKIP() << "this build has no simulation";
  }
  const TempDirectory folder;
  const std::string first = (folder / "first").string();
  const auto one = summary_of(small_run(
      {"--on", "sim", "--platform", "wan", "--peers", "4", "--steps", "20", "--out", first}));
  const std::string config = content_of(folder / "first/config.toml");
  EXPECT_TRUE(contains(config, "# measured\n")) << config;
  const Outcome again = run_starling(
      {"train", "--config", first + "/config.toml", "--out", (folder / "second").string()});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const auto two = nlohmann::json::parse(again.out);
  for (const char* field : {"step_seconds", "virtual_seconds", "compute_seconds", "wait_seconds"}) {
    EXPECT_EQ(one.at(field), two.at(field)) << field;
    EXPECT_GT(one.at(field), 0.0) << field;
  }
}

TEST(Train, SurvivorsOfALossKeepTheLastCheckpointOfAll) {
  if (!build_has_simulation()) {
    GTEST_SKIP() << "this build has no simulation";
  }
  const TempDirectory folder;
  std::ofstream(folder / "faults.toml") << "[[fault]]\nkind = \"kill\"\npeer = 3\nfrom = 1.5\n";
  const Outcome outcome = run_starling(small_run({"--on",
                                                  "sim",
                                                  "--step-seconds",
                                                  "0.05",
                                                  "--peers",
                                                  "8",
                                                  "--steps",
                                                  "100",
                                                  "--on-loss",
                                                  "continue",
                                                  "--faults",
                                                  (folder / "faults.toml").string(),
                                                  "--checkpoint-every",
                                                  "5",
                                                  "--checkpoint-keep",
                                                  "1",
                                                  "--out",
                                                  (folder / "run").string()}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string said = "checkpoints are incomplete since peer 3 was lost";
  const std::size_t at = outcome.err.find(said);
  EXPECT_NE(at, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find(said, at + 1), std::string::npos) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, said)) << outcome.out;
  EXPECT_LE(names_in(folder / "run/checkpoints").size(), 2U);
}

TEST(Train, OnePeerIsPlainTrainingWithEveryAlgorithmAndSendsNothing) {
  std::set<std::string> bits;
  for (const algorithm::Entry& entry : algorithm::registry()) {
    Words words = small_run({"--peers", "1", "--steps", "20", "--json"});
    words.insert(words.end(), {"--algorithm", entry.name});
    const Outcome outcome = run_starling(words);
    ASSERT_EQ(outcome.exit_code, 0) << entry.name << outcome.err;
    EXPECT_EQ(outcome.err, "starling: info: 1 peer, nothing to average\n") << entry.name;
    const auto summary = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(summary.at("bytes_sent"), 0) << entry.name;
    EXPECT_EQ(summary.at("messages_sent"), 0) << entry.name;
    bits.insert(summary.at("parameters_sha256"));
  }
  EXPECT_EQ(bits.size(), 1U);
}

struct Unequal {
  const char* name;
  const char* samples;
  const char* policy;
  std::uint64_t seen;
};

class UnequalBatches : public ::testing::TestWithParam<Unequal> {};

/// 858 samples on 4 peers are shards of 215, 215, 214, 214: 27 batches of 8 with a short last one,
/// 26 full.
TEST_P(UnequalBatches, EndAndAreCounted) {
  const Unequal& given = GetParam();
  const auto summary = summary_of({"train",
                                   "--model",
                                   "logistic",
                                   "--data",
                                   std::string("toy:samples=") + given.samples,
                                   "--peers",
                                   "4",
                                   "--batch",
                                   "8",
                                   "--epochs",
                                   "3",
                                   "--last-batch",
                                   given.policy,
                                   "--algorithm",
                                   "allreduce-sgd"});
  EXPECT_EQ(summary.at("samples_seen"), given.seen);
}

INSTANTIATE_TEST_SUITE_P(All,
                         UnequalBatches,
                         ::testing::Values(Unequal{"JoinOut", "858", "join-out", 3 * 858},
                                           Unequal{"DropLast", "858", "drop-last", 3 * 4 * 26 * 8},
                                           Unequal{"Pad", "858", "pad", 3 * 4 * 27 * 8},
                                           Unequal{"SevenJoinOut", "7", "join-out", 3 * 7},
                                           Unequal{"SevenPad", "7", "pad", 3 * 4 * 8}),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(Train, RefusesAnEpochWithoutAFullBatch) {
  const Outcome outcome = run_starling({"train",
                                        "--model",
                                        "logistic",
                                        "--data",
                                        "toy:samples=7",
                                        "--peers",
                                        "4",
                                        "--batch",
                                        "8",
                                        "--last-batch",
                                        "drop-last"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(outcome.out.empty());
  EXPECT_TRUE(contains(outcome.err, "last-batch")) << outcome.err;
}

TEST(Train, APolicyOfStoppingEndsWithTheCodeForNumbersAndOneLineNamesThePeer) {
  for (const algorithm::Entry& entry : algorithm::registry()) {
    const Outcome outcome = run_starling(small_run({"--peers",
                                                    "4",
                                                    "--steps",
                                                    "20",
                                                    "--inject",
                                                    "2:7:nan",
                                                    "--quiet",
                                                    "--algorithm",
                                                    entry.name}));
    EXPECT_EQ(outcome.exit_code, 6) << entry.name;
    EXPECT_EQ(outcome.err,
              "starling: error: peer 2: step 7: the gradient of weight is not finite; lower the "
              "learning rate or set --not-finite skip-peer\n")
        << entry.name;
  }
}

/// The first line of metrics.jsonl.
nlohmann::json config_of(const std::filesystem::path& folder) {
  const std::string metrics = content_of(folder / "metrics.jsonl");
  return nlohmann::json::parse(metrics.substr(0, metrics.find('\n')));
}

TEST(Train, TheMetricsSayWhatIsInForceAsOnTheCommandLine) {
  const TempDirectory folder;
  const Words run = small_run({"--peers",
                               "2",
                               "--steps",
                               "4",
                               "--order",
                               "combine-while-computing",
                               "--inject",
                               "1:2:nan",
                               "--not-finite",
                               "skip-peer",
                               "--out",
                               folder.path().string()});
  EXPECT_EQ(run_starling(run).exit_code, 0);
  const auto config = config_of(folder.path());
  EXPECT_EQ(config.at("order"), "combine-while-computing");
  EXPECT_EQ(config.at("on-loss"), "stop");
  EXPECT_EQ(config.at("last-batch"), "join-out");
  EXPECT_EQ(config.at("not-finite"), "skip-peer");
  EXPECT_EQ(config.at("inject"), "1:2:nan");
  EXPECT_EQ(config.at("lr"), 0.05);
  for (const char* name : {"momentum", "beta1", "period", "collective", "lr-drop-factor"}) {
    EXPECT_FALSE(config.contains(name)) << name;
  }
}

TEST(Train, ValuesBeyondTheRunAreNoted) {
  const TempDirectory folder;
  const Outcome outcome = run_starling(small_run(
      {"--peers", "2", "--steps", "4", "--evaluate-every", "5", "--out", folder.path().string()}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(
      contains(outcome.err,
               "starling: info: evaluate-every 5: the run has 4 steps, its end alone is tested\n"))
      << outcome.err;
}

/// The model does not fit into a file of 8 KiB; all else does.
TEST(Train, AModelThatCannotBeExportedCostsNoResult) {
  const TempDirectory folder;
  const std::string in_folder = "cd " + folder.path().string() + " && ";
  const std::string command = in_folder + "bash -c 'trap \"\" XFSZ; ulimit -f 8; exec \"" +
                              STARLING_PROGRAM +
                              "\" train --model logistic --data toy:d=2000 --peers 1 --steps 3 "
                              "--out run --export-model m.safetensors >out 2>err'";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_TRUE(contains(content_of(folder / "out"), "accuracy, averaged model"));
  const std::string err = content_of(folder / "err");
  EXPECT_TRUE(contains(err, "starling: error: m.safetensors: cannot write")) << err;
  const auto summary = nlohmann::json::parse(content_of(folder / "run/summary.json"));
  EXPECT_EQ(summary.at("exit_code"), 7);
  EXPECT_EQ(summary.at("steps"), 3);
  EXPECT_TRUE(contains(summary.at("error"), "m.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(folder / "m.safetensors"));
}

/// Peer 1 is cut off for ever: in the end everybody waits.
TEST(Train, AStalledRunHasOneLineThatTellsWhoWaits) {
  if (!build_has_simulation()) {
    GTEST_SKIP() << "threads do not know that nothing can come: needs the simulation";
  }
  const TempDirectory folder;
  put_content(folder / "faults.toml", "[[fault]]\nkind = \"link-down\"\npeer = 1\nfrom = 0.3\n");
  const Outcome outcome = run_starling(small_run({"--on",
                                                  "sim",
                                                  "--peers",
                                                  "4",
                                                  "--steps",
                                                  "100",
                                                  "--step-seconds",
                                                  "0.05",
                                                  "--quiet",
                                                  "--faults",
                                                  (folder / "faults.toml").string()}));
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_EQ(lines_in(outcome.err), 1U) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, " waits for peer 1 since ")) << outcome.err;
}

TEST(Train, FaultsSpanTheRunAndAreCounted) {
  if (!build_has_simulation()) {
    GTEST_SKIP() << "needs the simulation";
  }
  // Steps of 0.1 s: twenty take at least 2 s, so that pauses begin within the first 2 s.
  const auto summary = summary_of(small_run({"--on",
                                             "sim",
                                             "--peers",
                                             "6",
                                             "--steps",
                                             "20",
                                             "--step-seconds",
                                             "0.1",
                                             "--faults",
                                             "pause:1:100ms"}));
  const std::string notes = summary.at("notes").dump();
  EXPECT_TRUE(contains(notes, "faults: 6 of 6 happened before the run ended at ")) << notes;
}

TEST(Train, AHostTooSlowForTheVirtualClockIsRefusedBeforeTheFirstStep) {
  if (!build_has_simulation()) {
    GTEST_SKIP() << "needs the simulation";
  }
  for (const Words& slow : {Words{"--host-speeds", "1e-6"},
                            Words{"--stragglers", "1x1e6"},
                            Words{"--host-speeds", "1e-3", "--faults", "slow:1x1000"}}) {
    const TempDirectory folder;
    const std::string out = (folder / "run").string();
    Words words = small_run({"--on", "sim", "--peers", "2", "--steps", "10", "--out", out});
    words.insert(words.end(), {"--step-seconds", "1000"});
    words.insert(words.end(), slow.begin(), slow.end());
    const Outcome outcome = run_starling(words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "10 steps of 1000 s on a host of speed 1e-06 last longer"))
        << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "run/metrics.jsonl"));
  }
}

TEST(Train, DataThatIsNotThereEndsWithItsCodeAndTheFolderCanBeUsedAgain) {
  const TempDirectory folder;
  const std::string out = (folder / "run").string();
  const Words words{"train", "--model", "logistic", "--steps", "3", "--peers", "2", "--out", out};
  Words without_data = words;
  without_data.insert(without_data.end(), {"--data-dir", folder.path().string()});
  const Outcome outcome = run_starling(without_data);
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_EQ(lines_in(outcome.err), outcome.err.starts_with("starling: warning") ? 2U : 1U)
      << outcome.err;
  EXPECT_EQ(names_in(out), (std::set<std::string>{"config.toml"}));
  Words with_data = words;
  with_data.insert(with_data.end(), {"--data", "toy"});
  EXPECT_EQ(run_starling(with_data).exit_code, 0);
}

TEST(Train, AFolderThatCannotBeMadeIsAnErrorOfStorage) {
  const Outcome outcome = run_starling(small_run({"--steps", "3", "--out", "/proc/starling-run"}));
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_TRUE(contains(outcome.err, "/proc/starling-run: cannot make the folder")) << outcome.err;
}

TEST(Train, AnEarlierRunIsNotLostByAccident) {
  const TempDirectory folder;
  const Words words = small_run({"--peers", "2", "--steps", "3", "--out", folder.path().string()});
  ASSERT_EQ(run_starling(words).exit_code, 0);
  const std::string summary = content_of(folder / "summary.json");
  const Outcome refused = run_starling(words);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "holds a run already")) << refused.err;
  EXPECT_EQ(content_of(folder / "summary.json"), summary);
  Words overwriting = words;
  overwriting.emplace_back("--overwrite");
  EXPECT_EQ(run_starling(overwriting).exit_code, 0);
  EXPECT_TRUE(contains(content_of(folder / "config.toml"), "overwrite = false"))
      << "whoever runs it again has not asked for that";
}

TEST(Train, TwoRunsDoNotShareAFolder) {
  const TempDirectory folder;
  const std::string out = folder.path().string();
  Process first({.arguments = small_run({"--peers", "2", "--steps", "1000000000", "--out", out})});
  for (int tries = 0; tries < 1000 && !std::filesystem::exists(folder / "config.toml"); ++tries) {
    ASSERT_FALSE(first.ends_within(5ms));
  }
  const Outcome second = run_starling(small_run({"--steps", "3", "--out", out, "--overwrite"}));
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_TRUE(contains(second.err, "another run is writing there")) << second.err;
  first.send(SIGINT);
  EXPECT_EQ(first.finish().exit_code, 130);
}

TEST(Train, ResumingGivesTheBitsOfTheUninterruptedRun) {
  const TempDirectory folder;
  const Words run{"--peers", "3", "--algorithm", "sgp", "--optimizer", "momentum", "--seed", "4"};
  const auto run_with = [&](const Words& more) {
    Words words = small_run(run);
    words.insert(words.end(), more.begin(), more.end());
    return summary_of(words);
  };
  const std::string first = (folder / "first").string();
  const std::string second = (folder / "second").string();
  const auto whole = run_with({"--steps", "40"});
  run_with({"--steps", "25", "--checkpoint-every", "25", "--out", first});
  const auto resumed =
      run_with({"--steps", "40", "--resume", first + "/checkpoints", "--out", second});
  EXPECT_EQ(resumed.at("parameters_sha256"), whole.at("parameters_sha256"));
}

TEST(Train, ACheckpointIsReportedOnceForAllPeers) {
  const TempDirectory folder;
  const Outcome outcome = run_starling(small_run({"--peers",
                                                  "4",
                                                  "--steps",
                                                  "20",
                                                  "--checkpoint-every",
                                                  "10",
                                                  "--out",
                                                  folder.path().string()}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* line : {"starling: info: checkpoint of step 10 saved in ",
                           "starling: info: checkpoint of step 20 saved in "}) {
    const std::size_t at = outcome.err.find(line);
    ASSERT_NE(at, std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find(line, at + 1), std::string::npos) << outcome.err;
  }
}

TEST(Train, ALostPeerEndsWithItsCodeAndOneLineNamesIt) {
  if (!build_has_simulation()) {
    GTEST_SKIP() << "threads of one process are not lost: needs the simulation";
  }
  const TempDirectory folder;
  put_content(folder / "faults.toml", "[[fault]]\nkind = \"kill\"\npeer = 2\nfrom = 0.055\n");
  const Outcome outcome = run_starling(small_run({"--on",
                                                  "sim",
                                                  "--peers",
                                                  "4",
                                                  "--steps",
                                                  "1000",
                                                  "--step-seconds",
                                                  "0.01",
                                                  "--faults",
                                                  (folder / "faults.toml").string()}));
  EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
  EXPECT_EQ(lines_in(outcome.err), 1U) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "starling: error: ")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "peer 2")) << outcome.err;
}

TEST(Train, QuietSaysNothingAndVerboseSaysEveryStep) {
  const Words run = small_run({"--peers", "64", "--steps", "2"});
  const auto err_with = [&](const char* option) {
    Words words = run;
    words.emplace_back(option);
    return run_starling(words).err;
  };
  EXPECT_EQ(err_with("--quiet"), "");
  EXPECT_TRUE(contains(err_with("--verbose"), "peer 63 at "));
}

TEST(Train, MorePeersThanCoresAreWarnedAbout) {
  const Outcome outcome =
      run_starling(small_run({"--peers", "256", "--steps", "1", "--algorithm", "dsgd"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "starling: warning: 256 peers share ")) << outcome.err;
}

TEST(Train, AReaderThatLeavesIsNoError) {
  const std::string command =
      std::string("bash -c 'set -o pipefail; \"") + STARLING_PROGRAM +
      "\" train --model logistic --data toy --steps 5 --json 2>/dev/null | true'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Train, TheSimulatedWorldGivesTheSameBits) {
  if (!build_has_simulation()) {
    const Outcome outcome = run_starling(small_run({"--on", "sim"}));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "on: this build has no simulation")) << outcome.err;
    return;
  }
  const Words run =
      small_run({"--peers", "4", "--algorithm", "sgp", "--steps", "30", "--seed", "7"});
  Words simulated = run;
  simulated.insert(simulated.end(), {"--on", "sim", "--platform", "wan", "--stragglers", "1x5"});
  const auto threads = summary_of(run);
  const auto sim = summary_of(simulated);
  EXPECT_EQ(threads.at("parameters_sha256"), sim.at("parameters_sha256"));
  EXPECT_GT(sim.at("virtual_seconds").get<double>(), 0.0);
}

// ---- the screen

/// What a terminal is told between two erasures of its line: the live lines.
std::vector<std::string> live_lines(const std::string& screen) {
  const std::string erase = "\r\x1b[K";
  std::vector<std::string> lines;
  for (std::size_t at = screen.find(erase); at != std::string::npos;) {
    const std::size_t begin = at + erase.size();
    at = screen.find(erase, begin);
    lines.push_back(screen.substr(begin, at == std::string::npos ? at : at - begin));
  }
  return lines;
}

ProcessOptions on_screen(const Words& more, const char* terminal) {
  return {.arguments = small_run(more), .environment = {{"TERM", terminal}}, .directory = {}};
}

class ScreenOfWidth : public ::testing::TestWithParam<unsigned short> {};

TEST_P(ScreenOfWidth, IsNeverOverrun) {
  const Outcome outcome =
      run_on_terminal(on_screen({"--peers", "1", "--steps", "4000"}, "xterm"), GetParam());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  const auto lines = live_lines(outcome.out);
  EXPECT_FALSE(lines.empty());
  for (const std::string& line : lines) {
    const std::size_t end = line.find_first_of("\r\n");  // the summary follows the last one
    if (end == std::string::npos) {
      EXPECT_LT(line.size(), GetParam()) << line;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, ScreenOfWidth, ::testing::Values(1, 2, 7, 20, 80, 300));

TEST(Screen, ADumbTerminalGetsNoControlCharacters) {
  const Outcome outcome =
      run_on_terminal(on_screen({"--peers", "64", "--steps", "200"}, "dumb"), 80);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "\x1b")) << outcome.out;
}

TEST(Screen, ColoursAreOffWhereTheyAreNotWanted) {
  ProcessOptions options = on_screen({"--peers", "64", "--steps", "2"}, "xterm");
  EXPECT_TRUE(contains(run_on_terminal(options, 80).out, "\x1b[1;33mwarning"));
  options.environment.emplace_back("NO_COLOR", "1");
  EXPECT_FALSE(contains(run_on_terminal(options, 80).out, "\x1b[1;33m"));
}

TEST(Screen, ALogGetsNoControlCharacters) {
  const Outcome outcome = run_starling(small_run({"--peers", "64", "--steps", "200"}));
  EXPECT_FALSE(contains(outcome.err, "\x1b")) << outcome.err;
  EXPECT_FALSE(contains(outcome.err, "\r")) << outcome.err;
}

}  // namespace
}  // namespace starling::testing
