#include "starling/cli/average_table.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace starling::cli {
namespace {

trainer::AveragingSummary summary_of(std::uint64_t rounds) {
  trainer::AveragingSummary summary;
  summary.averaging = {
      .averager = {.name = "ring", .peers = 4, .seed = 3}, .elements = 10, .rounds = rounds};
  summary.how = "gossip over ring";
  summary.world = "threads";
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    summary.rounds.push_back({round, {0.25, 0.5, 1.0}, 80.0});
  }
  summary.targets = {{"1e-4", 1e-4, 1, 2.0},
                     {"1e-9", 1e-9, 0, std::numeric_limits<double>::quiet_NaN()}};
  summary.messages_per_peer = 2.0 * static_cast<double>(rounds);
  summary.wall_seconds = 1.5;
  return summary;
}

TEST(AverageTable, ShowsWhatWasRunItsRoundsAndTheirSum) {
  EXPECT_EQ(average_table(summary_of(3)),
            "averager  gossip over ring\n"
            "peers     4 on threads, 10 numbers each, seed 3\n"
            "\n"
            "ROUND  VARIANCE  DISTANCE TO INITIAL MEAN  CONSENSUS ERROR  SENT BY A PEER\n"
            "1      0.25      0.5                       1                80 B\n"
            "2      0.25      0.5                       1                80 B\n"
            "3      0.25      0.5                       1                80 B\n"
            "\n"
            "variance 1e-4 reached  2 rounds\n"
            "variance 1e-9 reached  not in 3 rounds\n"
            "sent by a peer         240 B in 6 messages\n"
            "wall time              1.50 s\n");
}

TEST(AverageTable, TellsOfFailuresRepeatsAndVirtualTime) {
  trainer::AveragingSummary summary = summary_of(3);
  summary.averaging.failure_rate = 0.005;
  summary.averaging.repeats = 10;
  summary.targets[1].reached = 7;
  summary.virtual_seconds = 0.25;
  const std::string text = average_table(summary);
  for (const char* line : {"failures  0.5 % of the peers a round\n",
                           "repeats   10, of which this is the mean\n",
                           "variance 1e-9 reached  in 7 of 10 repeats of 3 rounds\n",
                           "virtual time           250 ms a repeat\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST(AverageTable, ManyRoundsAreShownInTwentyLines) {
  for (const std::uint64_t rounds : {20U, 21U, 50U, 99U, 1000U}) {
    const std::string text = average_table(summary_of(rounds));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), rounds > 20 ? 30 : 29) << text;
    EXPECT_NE(text.find("\n10  "), std::string::npos) << text;
    EXPECT_NE(text.find("\n" + std::to_string(rounds) + " "), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace starling::cli
