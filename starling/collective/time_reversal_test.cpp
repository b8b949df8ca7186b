// Time reversal: if in an all-gather every block reaches every rank once, its rounds backwards with
// "add" for "copy" are an exact reduce-scatter.
#include <string>

#include <gtest/gtest.h>

#include "tests/support/collective_cases.hpp"

namespace starling::collective {
namespace {

using starling::testing::ask;
using starling::testing::Asked;

/// Whether every block is received once by all who do not begin with it, and by nobody who does.
bool reaches_everybody_once(const Asked& all_gather) {
  for (const Schedule& schedule : all_gather.schedules()) {
    std::vector<std::size_t> came(schedule.blocks());
    Request of_rank = all_gather.request;
    of_rank.rank = schedule.rank;
    for (const Range& run : held_blocks(of_rank, schedule)) {
      for (std::size_t block = run.begin; block < run.end; ++block) {
        ++came[block];
      }
    }
    for (const Lane& lane : schedule.lanes) {
      for (const Transfer& each : lane.transfers()) {
        if (each.action == Action::copy) {
          for_each_block(lane, each, [&](std::size_t block) { ++came[block]; });
        }
      }
    }
    for (const std::size_t times : came) {
      if (times != 1) {
        return false;
      }
    }
  }
  return true;
}

/// The verdict on the reversal as a reduce-scatter.
std::optional<std::string> flaw_of_reversal(const Asked& all_gather) {
  std::vector<Schedule> backwards;
  for (const Schedule& schedule : all_gather.schedules()) {
    backwards.push_back(reversed(schedule));
    backwards.back().owned = {schedule.part(schedule.rank)};
  }
  Request request = all_gather.request;
  request.operation = Operation::reduce_scatter;
  return check(request, backwards).flaw;
}

Asked all_gather(const std::string& algorithm, std::size_t peers) {
  return ask(algorithm,
             {.operation = Operation::all_gather, .peers = peers, .elements = 7 * peers + 3});
}

TEST(TimeReversal, TurnsAllGathersIntoReduceScatters) {
  for (const char* algorithm : {"ring",
                                "circulant",
                                "bucket-torus:4x3",
                                "multiported-torus:4x3:layout=split",
                                "multiported-torus:3x2x2:layout=split",
                                "half-way-torus:4x3:layout=split"}) {
    const Asked asked = all_gather(algorithm, 12);
    EXPECT_TRUE(reaches_everybody_once(asked)) << algorithm;
    EXPECT_EQ(flaw_of_reversal(asked), std::nullopt) << algorithm;
  }
}

TEST(TimeReversal, EveryAllGatherOfTheCatalogThatQualifies) {
  for (const CatalogEntry& entry : catalog()) {
    if (entry.build(Operation::all_gather) == nullptr) {
      continue;
    }
    for (std::size_t peers = 2; peers <= 9; ++peers) {
      const Asked asked = all_gather(entry.name, peers);
      if (entry.why_not(asked.request) || !reaches_everybody_once(asked)) {
        continue;
      }
      EXPECT_EQ(flaw_of_reversal(asked), std::nullopt) << entry.name << " n=" << peers;
    }
  }
}

TEST(TimeReversal, ABlockThatComesBackIsAddedTwice) {
  // In relaxed order a part leaves its rank for another one and comes back with the region.
  const Asked asked = all_gather("multiported-torus:4x3", 12);
  EXPECT_FALSE(reaches_everybody_once(asked));
  EXPECT_NE(flaw_of_reversal(asked), std::nullopt);
}

}  // namespace
}  // namespace starling::collective
