#include "tests/cli/interruption.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "starling/core/random.hpp"

#include "tests/cli/process.hpp"
#include "tests/support/temp_directory.hpp"

namespace starling::testing {

namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
constexpr std::uint64_t kLatestMs = 300;

void expect_only_files_of_a_run(const std::filesystem::path& folder) {
  const std::set<std::string> known{"config.toml", "metrics.jsonl", "summary.json", "checkpoints"};
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_TRUE(known.contains(entry.path().filename().string())) << entry.path();
  }
}

}  // namespace

void interrupt_at_random_moment(std::uint64_t seed) {
  const TempDirectory folder;
  Random random(seed, stream_key("interruption"));
  const int signal = kSignals.at(random.below(kSignals.size()));
  const auto moment = std::chrono::milliseconds(random.below(kLatestMs));
  SCOPED_TRACE("seed " + std::to_string(seed) + ", signal " + std::to_string(signal) + " after " +
               std::to_string(moment.count()) + " ms");
  Process process({.arguments = {"train",
                                 "--peers",
                                 "8",
                                 "--model",
                                 "logistic",
                                 "--data",
                                 "toy",
                                 "--steps",
                                 "1000000000",
                                 "--out",
                                 folder.path().string()},
                   .environment = {},
                   .directory = {}});
  const pid_t group = process.id();
  ASSERT_FALSE(process.ends_within(moment));
  process.send(signal);
  const Outcome outcome = process.finish();
  // While the system still loads the program, before its first line, nobody watches.
  const bool before_watching = outcome.signal == signal && outcome.err.empty();
  EXPECT_TRUE(outcome.exit_code == 130 || before_watching)
      << outcome.exit_code << " " << outcome.signal << "\n"
      << outcome.err;
  EXPECT_LE(outcome.after_signal.count(), 5.0);
  EXPECT_EQ(::kill(-group, 0), -1);
  EXPECT_EQ(errno, ESRCH);
  expect_only_files_of_a_run(folder.path());
}

}  // namespace starling::testing
