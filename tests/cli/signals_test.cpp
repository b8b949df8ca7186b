// Ctrl-C once, twice, a closed terminal, readers that do not read.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/interruption.hpp"
#include "tests/cli/process.hpp"
#include "tests/support/temp_directory.hpp"

namespace starling::testing {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

Words endless_run(const Words& more) {
  Words words{
      "train", "--peers", "4", "--model", "logistic", "--data", "toy", "--steps", "1000000000"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Until so many steps have been done that lines of metrics are on disk.
void await_steps(Process& process, const std::filesystem::path& folder) {
  std::error_code not_yet;
  while (!(std::filesystem::file_size(folder / "metrics.jsonl", not_yet) > 0) || not_yet) {
    ASSERT_FALSE(process.ends_within(5ms));
  }
}

class Interruption : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Interruption, EndsCleanly) {
  interrupt_at_random_moment(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Moments,
                         Interruption,
                         ::testing::Range(std::uint64_t{1}, std::uint64_t{21}));

TEST(Interrupt, OnceReportsWhatWasReached) {
  const TempDirectory folder;
  Process process({.arguments = endless_run({"--out", folder.path().string()})});
  await_steps(process, folder.path());
  process.send(SIGINT);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_NE(outcome.err.find("interrupted: finishing the round"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("accuracy, averaged model"), std::string::npos) << outcome.out;
  const auto summary = nlohmann::json::parse(content_of(folder / "summary.json"));
  EXPECT_EQ(summary.at("exit_code"), 130);
  EXPECT_GT(summary.at("steps"), 0);
}

/// A pipe with a name, in which nothing ever stands.
class EndlessFile {
 public:
  explicit EndlessFile(std::filesystem::path path) : path_(std::move(path)) {
    EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  }

  ~EndlessFile() { ::close(writer_); }

  EndlessFile(const EndlessFile&) = delete;
  EndlessFile& operator=(const EndlessFile&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }

  /// Until the process reads it.
  void await_reader(Process& process) {
    while (writer_ < 0) {
      ASSERT_FALSE(process.ends_within(5ms));
      writer_ = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    }
  }

 private:
  std::filesystem::path path_;
  int writer_ = -1;
};

class BeforeTheFirstStep : public ::testing::TestWithParam<int> {
 protected:
  TempDirectory folder_;
};

INSTANTIATE_TEST_SUITE_P(Signals, BeforeTheFirstStep, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_P(BeforeTheFirstStep, ASignalEndsTheReadingOfTheConfiguration) {
  EndlessFile file(folder_ / "run.toml");
  Process process({.arguments = {"train", "--on", "sim", "--config", file.path()}});
  file.await_reader(process);
  process.send(GetParam());
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.signal;
  EXPECT_LE(outcome.after_signal.count(), 5.0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("starling: error: interrupted before the first step\n"),
            std::string::npos)
      << outcome.err;
}

/// Two steps, and then tests of 600 models on 100,000 samples each: many times the patience.
TEST(Interrupt, CutsTheFinalTestsShort) {
  const char* world =
      run_starling({"--version"}).out.find("sim") == std::string::npos ? "threads" : "sim";
  Words words{"train", "--on", world, "--peers", "600", "--model", "logistic", "--verbose"};
  words.insert(words.end(), {"--data", "toy:d=100:test=100000", "--steps", "2"});
  Process process({.arguments = words});
  ASSERT_TRUE(process.says("step 2 done", 50s));
  process.send(SIGINT);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_LE(outcome.after_signal.count(), 5.0);
  EXPECT_NE(outcome.out.find("interrupted: of 600 own models "), std::string::npos);
  EXPECT_NE(outcome.out.find("accuracy, averaged model"), std::string::npos) << outcome.out;
}

std::uint64_t newest_step(const std::filesystem::path& checkpoints) {
  std::uint64_t newest = 0;
  for (const auto& entry : std::filesystem::directory_iterator(checkpoints)) {
    const std::string name = entry.path().filename().string();
    newest = std::max(newest, std::uint64_t{std::stoull(name.substr(name.find('-') + 1))});
  }
  return newest;
}

/// What docs/program.md says of the folder of a run that was ended at once.
TEST(Interrupt, TwiceLeavesWholeCheckpointsAndNoSummary) {
  const TempDirectory folder;
  const std::string checkpoints = (folder / "run/checkpoints").string();
  Process process({.arguments = endless_run(
                       {"--out", (folder / "run").string(), "--checkpoint-every", "500"})});
  while (!std::filesystem::exists(folder / "run/checkpoints/step-000001000/peer-00003.ckpt")) {
    ASSERT_FALSE(process.ends_within(1ms));
  }
  process.send(SIGINT);
  process.send(SIGTERM);
  EXPECT_EQ(process.finish().exit_code, 130);
  EXPECT_TRUE(std::filesystem::exists(folder / "run/config.toml"));
  EXPECT_TRUE(std::filesystem::exists(folder / "run/metrics.jsonl"));
  const Outcome resumed = run_starling({"train",
                                        "--config",
                                        (folder / "run/config.toml").string(),
                                        "--resume",
                                        checkpoints,
                                        "--out",
                                        (folder / "resumed").string(),
                                        "--steps",
                                        std::to_string(newest_step(checkpoints) + 10)});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

TEST(Interrupt, TwiceEndsAtOnce) {
  const TempDirectory folder;
  Process process({.arguments = endless_run({"--out", folder.path().string()})});
  await_steps(process, folder.path());
  process.send(SIGINT);
  process.send(SIGTERM);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_LE(outcome.after_signal.count(),
            3.0);  // a program under thread sanitizer sleeps 1 s at exit
}

TEST(Interrupt, AClosedTerminalEndsTheRun) {
  const Outcome outcome = close_terminal_of(
      {.arguments = endless_run({}), .environment = {{"TERM", "xterm"}}, .directory = {}});
  EXPECT_EQ(outcome.exit_code, 130) << outcome.signal;
  EXPECT_LE(outcome.after_signal.count(), 5.0);
}

/// A pipe that is full and that nobody reads.
class FullPipe {
 public:
  FullPipe() {
    EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK), 0);
    const std::array<char, 4096> filling{};
    while (::write(ends_[1], filling.data(), filling.size()) > 0) {
    }
    ::fcntl(ends_[1], F_SETFL, 0);  // the program meets a pipe that would make it wait
  }

  ~FullPipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }

  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;

  [[nodiscard]] int writer() const { return ends_[1]; }

 private:
  std::array<int, 2> ends_{-1, -1};
};

TEST(Interrupt, WorksThoughNobodyReadsAnything) {
  const TempDirectory folder;
  const FullPipe pipe;
  Process process({.arguments = endless_run({"--verbose", "--out", folder.path().string()}),
                   .out = pipe.writer(),
                   .err = pipe.writer()});
  while (!std::filesystem::exists(folder / "metrics.jsonl")) {
    ASSERT_FALSE(process.ends_within(5ms));
  }
  ASSERT_FALSE(process.ends_within(50ms));
  process.send(SIGINT);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_LE(outcome.after_signal.count(), 5.0);
}

TEST(Interrupt, AJobInTheBackgroundOfAScriptListensToo) {
  // Shells start such jobs with SIGINT ignored.
  const TempDirectory folder;
  Process process(
      {.arguments = endless_run({"--out", folder.path().string()}), .ignored_signal = SIGINT});
  await_steps(process, folder.path());
  process.send(SIGINT);
  EXPECT_EQ(process.finish().exit_code, 130);
}

TEST(Interrupt, NohupKeepsTheRunAlive) {
  const TempDirectory folder;
  Process process(
      {.arguments = endless_run({"--out", folder.path().string()}), .ignored_signal = SIGHUP});
  await_steps(process, folder.path());
  process.send(SIGHUP);
  EXPECT_FALSE(process.ends_within(200ms));
  process.send(SIGTERM);
  EXPECT_EQ(process.finish().exit_code, 130);
}

}  // namespace
}  // namespace starling::testing
