#include "tests/faults/schedules.hpp"

#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/core/random.hpp"
#include "starling/core/text.hpp"

namespace starling::testing {

namespace {

/// Each kind of fault with even chance, its rate drawn too; at least one kind.
std::string draw_rates(Random& random) {
  constexpr std::array<const char*, 3> kShares{"0.1", "0.25", "0.5"};
  const auto share = [&] { return std::string(kShares.at(random.below(kShares.size()))); };
  const std::string window = "window:" + std::to_string(1 + random.below(20)) + "s";
  std::string rates;
  bool any_begins = false;  // at some moment of the window; delays and slow hosts last throughout
  const std::size_t sure = random.below(5);
  for (std::size_t kind = 0; kind < 5; ++kind) {
    if (!random.bernoulli(0.5) && kind != sure) {
      continue;
    }
    const std::string time = std::to_string(1 + random.below(8)) + "s";
    any_begins = any_begins || (kind != 1 && kind != 3);
    switch (kind) {
      case 0:
        rates += ",kill:" + share() + (random.bernoulli(0.3) ? ":" + time : "");
        break;
      case 1:
        rates += ",slow:" + share() + "x" + std::to_string(2 + random.below(20));
        break;
      case 2:
        rates += ",linkdown:" + share() + ":" + time;
        break;
      case 3:
        rates += ",delay:" + share() + ":" + std::to_string(1 + random.below(900)) + "ms";
        break;
      default:
        rates += ",pause:" + share() + ":" + time;
        break;
    }
  }
  return any_begins ? window + rates : rates.substr(1);
}

std::string replay_command(std::uint64_t seed) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return "STARLING_FAULT_SEED=" + std::to_string(seed) + " " +
         std::filesystem::read_symlink("/proc/self/exe").string() + " --gtest_filter='" +
         test->test_suite_name() + "." + test->name() + "'";
}

void survive(const FaultTrial& trial, std::uint64_t seed) {
  const SimOptions options = schedule_of(seed, trial);
  std::string complaint;
  try {
    SimWorld world(options);
    complaint = trial.run(world, seed);
  } catch (const std::exception& error) {
    complaint = std::string("it threw: ") + error.what();
  }
  if (complaint.empty()) {
    return;
  }
  ADD_FAILURE() << "seed " << seed << " (" << options.platform << ", " << options.faults
                << "): " << complaint << "\nreplay: " << replay_command(seed);
}

}  // namespace

SimOptions schedule_of(std::uint64_t seed, const FaultTrial& trial) {
  Random random(seed, stream_key("tests.schedule"));
  const std::array<std::string, 3> platforms{
      "lan", "wan", "torus:" + std::to_string(trial.peers) + ":latency=1ms"};
  SimOptions options;
  options.peers = trial.peers;
  options.seed = seed;
  options.platform = platforms.at(random.below(platforms.size()));
  options.faults = draw_rates(random);
  options.time_limit = trial.time_limit;
  return options;
}

std::string complaint_about(const RunReport& report) {
  std::ostringstream complaint;
  for (std::size_t rank = 0; rank < report.peers.size(); ++rank) {
    if (!report.peers[rank].error) {
      continue;
    }
    const std::string words = words_of(report.peers[rank].error);
    if (words.find("time limit") != std::string::npos) {
      complaint << words << "; ";
    }
    if (words.find("peer ") == std::string::npos) {
      complaint << "peer " << rank << " failed and names nobody: " << words << "; ";
    }
  }
  bool failed = false;
  for (const PeerOutcome& outcome : report.peers) {
    failed = failed || outcome.error;
  }
  if (failed != report.culprit.has_value() ||
      (report.culprit && !report.peers[*report.culprit].error)) {
    complaint << "the culprit is wrong; ";
  }
  return complaint.str();
}

void expect_to_survive(const FaultTrial& trial, std::uint64_t first, std::size_t count) {
  if (const char* only = std::getenv("STARLING_FAULT_SEED")) {
    const auto seed = parse_size(only);
    ASSERT_TRUE(seed) << "STARLING_FAULT_SEED must be a number, found " << only;
    return survive(trial, *seed);
  }
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    survive(trial, seed);
  }
}

}  // namespace starling::testing
