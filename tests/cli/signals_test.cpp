// Ctrl-C once, twice, a closed terminal, readers that do not read.
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
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
  while (!std::filesystem::exists(folder / "metrics.jsonl")) {
    ASSERT_FALSE(process.ends_within(5ms));
  }
  ASSERT_FALSE(process.ends_within(100ms));
  process.send(SIGINT);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_NE(outcome.err.find("interrupted: finishing the round"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("accuracy, averaged model"), std::string::npos) << outcome.out;
  const auto summary = nlohmann::json::parse(content_of(folder / "summary.json"));
  EXPECT_EQ(summary.at("exit_code"), 130);
  EXPECT_GT(summary.at("steps"), 0);
}

TEST(Interrupt, TwiceEndsAtOnce) {
  Process process({.arguments = endless_run({})});
  ASSERT_FALSE(process.ends_within(200ms));
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
  Process process({.arguments = endless_run({}), .ignored_signal = SIGINT});
  ASSERT_FALSE(process.ends_within(100ms));
  process.send(SIGINT);
  EXPECT_EQ(process.finish().exit_code, 130);
}

TEST(Interrupt, NohupKeepsTheRunAlive) {
  Process process({.arguments = endless_run({}), .ignored_signal = SIGHUP});
  ASSERT_FALSE(process.ends_within(100ms));
  process.send(SIGHUP);
  EXPECT_FALSE(process.ends_within(200ms));
  process.send(SIGTERM);
  EXPECT_EQ(process.finish().exit_code, 130);
}

}  // namespace
}  // namespace starling::testing
