#include "starling/collective/checker.hpp"

#include <gtest/gtest.h>

#include "starling/collective/catalog.hpp"
#include "starling/collective/ring.hpp"

namespace starling::collective {
namespace {

using ::testing::Test;

std::vector<Schedule> rings(std::size_t peers) {
  return schedules_of(*find_algorithm("ring", Operation::all_reduce).entry, {.peers = peers});
}

/// Schedules of two ranks with one round: `zero` and `one` fill it.
template <class Zero, class One>
std::vector<Schedule> pair_of(std::size_t blocks, Zero zero, One one) {
  std::vector<Schedule> pair{make_schedule(2, 0, blocks), make_schedule(2, 1, blocks)};
  for (Schedule& each : pair) {
    each.owned = {{0, blocks}};
    each.lanes.front().open_round();
  }
  zero(pair[0].lanes.front());
  one(pair[1].lanes.front());
  return pair;
}

void exchange(Lane& lane, std::size_t partner, Range blocks) {
  lane.transfer(Action::send, partner, {blocks});
  lane.transfer(Action::add, partner, {blocks});
}

std::string flaw_of(Operation operation, const std::vector<Schedule>& schedules) {
  const Request request{.operation = operation, .peers = schedules.size(), .elements = 12};
  return check(request, schedules).flaw.value_or("none");
}

TEST(Checker, AcceptsTheSimplestExchange) {
  const auto pair = pair_of(
      1,
      [](Lane& lane) {
        exchange(lane, 1, {0, 1});
      },
      [](Lane& lane) {
        exchange(lane, 0, {0, 1});
      });
  EXPECT_EQ(flaw_of(Operation::all_reduce, pair), "none");
}

TEST(Checker, SeesAReceiveThatNobodySends) {
  const auto pair = pair_of(
      1,
      [](Lane& lane) {
        exchange(lane, 1, {0, 1});
      },
      [](Lane& lane) {
        lane.transfer(Action::add, 0, {Range{0, 1}});
      });
  EXPECT_EQ(flaw_of(Operation::all_reduce, pair),
            "round 0: rank 0 waits for ever for rank 1 in lane 0");
}

TEST(Checker, SeesAMessageThatNobodyReceives) {
  const auto pair = pair_of(
      1,
      [](Lane& lane) {
        exchange(lane, 1, {0, 1});
      },
      [](Lane& lane) {
        lane.transfer(Action::send, 0, {Range{0, 1}});
      });
  EXPECT_EQ(flaw_of(Operation::all_reduce, pair),
            "round 0: a message from rank 0 to rank 1 in lane 0 is never received");
}

TEST(Checker, SeesAMessageReceivedInAnotherRound) {
  const auto pair = pair_of(
      1,
      [](Lane& lane) {
        exchange(lane, 1, {0, 1});
      },
      [](Lane& lane) {
        lane.open_round();
        exchange(lane, 0, {0, 1});
      });
  EXPECT_NE(flaw_of(Operation::all_reduce, pair), "none");
}

TEST(Checker, SeesBlocksThatDiffer) {
  const auto pair = pair_of(
      2,
      [](Lane& lane) {
        exchange(lane, 1, {0, 2});
      },
      [](Lane& lane) {
        exchange(lane, 0, {0, 1});
      });
  EXPECT_EQ(flaw_of(Operation::all_reduce, pair),
            "round 0: rank 0 expects other blocks than rank 1 sends");
}

TEST(Checker, SeesAContributionAddedTwice) {
  std::vector<Schedule> schedules;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    Schedule schedule = make_schedule(2, rank, 1);
    for (int round = 0; round < 2; ++round) {
      schedule.lanes.front().open_round();
      exchange(schedule.lanes.front(), 1 - rank, {0, 1});
    }
    schedules.push_back(schedule);
  }
  EXPECT_EQ(flaw_of(Operation::all_reduce, schedules),
            "rank 0 adds a contribution to block 0 twice");
}

TEST(Checker, SeesAResultThatMisses) {
  auto schedules = rings(3);
  schedules[1] = ring_all_gather({Operation::all_gather, 3, 1, 0});
  EXPECT_NE(flaw_of(Operation::all_reduce, schedules), "none");
  EXPECT_NE(flaw_of(Operation::all_reduce, {make_schedule(2, 0, 1), make_schedule(2, 1, 1)}),
            "none");
}

TEST(Checker, SeesAMeanThatIsNeverScaled) {
  auto schedules = rings(4);
  for (Schedule& each : schedules) {
    each.owned.clear();
  }
  EXPECT_EQ(flaw_of(Operation::all_reduce, schedules),
            "rank 0 ends with 4 of 4 contributions in block 0, not finished");
}

TEST(Checker, SeesAnOwnerWithoutTheWholeSum) {
  auto schedules = rings(4);
  for (Schedule& each : schedules) {
    each.owned = {{0, 4}};
  }
  EXPECT_EQ(flaw_of(Operation::all_reduce, schedules).find("rank 0 owns block "), 0U);
}

TEST(Checker, SeesLanesThatShareABlock) {
  auto pair = pair_of(
      1,
      [](Lane& lane) {
        exchange(lane, 1, {0, 1});
      },
      [](Lane& lane) {
        exchange(lane, 0, {0, 1});
      });
  for (Schedule& each : pair) {
    each.lanes.push_back(each.lanes.front());
  }
  EXPECT_EQ(flaw_of(Operation::all_reduce, pair), "lanes 0 and 1 of rank 0 share block 0");
}

TEST(Checker, SeesDataSentBeforeItIsThere) {
  const auto pair = pair_of(
      1,
      [](Lane& lane) {
        lane.transfer(Action::copy, 1, {Range{0, 1}});
      },
      [](Lane& lane) {
        lane.transfer(Action::send, 0, {Range{0, 1}});
      });
  EXPECT_EQ(flaw_of(Operation::broadcast, pair), "rank 1 sends block 0 before it has it");
}

TEST(Checker, SeesAPeerThatDoesNotExist) {
  const auto pair = pair_of(
      1,
      [](Lane& lane) {
        exchange(lane, 2, {0, 1});
      },
      [](Lane& lane) {
        exchange(lane, 0, {0, 1});
      });
  EXPECT_EQ(flaw_of(Operation::all_reduce, pair), "rank 0 talks to rank 2");
}

TEST(Checker, CountsWhatEveryLinkCarries) {
  // 4 ranks, 12 elements: 2 * 3 messages of one block of 3 elements, all to the next neighbour.
  const Verdict verdict = check({.peers = 4, .elements = 12}, rings(4));
  ASSERT_EQ(verdict.flaw, std::nullopt);
  ASSERT_EQ(verdict.links.size(), 4U);
  for (const auto& [link, traffic] : verdict.links) {
    EXPECT_EQ(link.second, (link.first + 1) % 4);
    EXPECT_EQ(traffic, (Traffic{6, 6, 18}));
    EXPECT_EQ(verdict.sent[link.first], traffic);
  }
}

}  // namespace
}  // namespace starling::collective
