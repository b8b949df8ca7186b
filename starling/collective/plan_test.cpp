#include "starling/collective/plan.hpp"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "starling/collective/catalog.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {
namespace {

Plan plan_of(const char* name, Operation operation, std::size_t n, std::size_t rank) {
  const Request request{.operation = operation, .peers = n, .rank = rank};
  return make_plan(request, make_schedule(*find_algorithm(name, operation).entry, request));
}

std::vector<std::pair<Place, Place>> additions_of(const Plan& plan) {
  std::vector<std::pair<Place, Place>> places;
  for (const PlannedLane& lane : plan.lanes) {
    for (const PlannedTransfer& each : lane.transfers) {
      if (each.action != Action::add) {
        continue;
      }
      for (const PlannedRun& run : lane.runs_of(each)) {
        places.emplace_back(run.from, run.to);
      }
    }
  }
  return places;
}

const std::vector<Range>& stays(const Plan& plan, Place place) {
  return plan.stays[static_cast<std::size_t>(place)];
}

using Places = std::vector<std::pair<Place, Place>>;

TEST(Plan, TheFirstAdditionReadsTheInputAndNothingElseIsCopied) {
  const Plan plan = plan_of("recursive-doubling", Operation::all_reduce, 2, 0);
  EXPECT_EQ(additions_of(plan), (Places{{Place::input, Place::output}}));
  EXPECT_TRUE(plan.kept.empty());
  EXPECT_TRUE(stays(plan, Place::scratch).empty());
}

TEST(Plan, AVectorThatIsLentWhileItIsAddedToMovesToAndFroAndEndsInTheOutput) {
  EXPECT_EQ(additions_of(plan_of("recursive-doubling", Operation::all_reduce, 4, 0)),
            (Places{{Place::input, Place::scratch}, {Place::scratch, Place::output}}));
  EXPECT_EQ(additions_of(plan_of("recursive-doubling", Operation::all_reduce, 8, 5)),
            (Places{{Place::input, Place::output},
                    {Place::output, Place::scratch},
                    {Place::scratch, Place::output}}));
}

TEST(Plan, DisjointBlocksNeedNoScratch) {
  for (const char* name : {"ring", "halving-doubling", "circulant"}) {
    for (std::size_t n = 1; n <= 9; ++n) {
      for (std::size_t rank = 0; rank < n; ++rank) {
        const Plan plan = plan_of(name, Operation::all_reduce, n, rank);
        EXPECT_TRUE(stays(plan, Place::scratch).empty()) << name << n;
      }
    }
  }
}

/// Calls visit(name, plan, lane) for the lanes of all all-reduces among up to 17 peers.
template <class Visit>
void for_each_lane(std::size_t (*rank_of)(std::size_t), Visit visit) {
  for (const std::string& algorithm : names_for(Operation::all_reduce)) {
    const Choice choice = find_algorithm(algorithm, Operation::all_reduce);
    for (std::size_t n = 1; n <= 17; ++n) {
      Request request{.peers = n, .rank = rank_of(n), .elements = 100};
      choice.fill_in(request, sizeof(float));
      request.segment = 7;
      if (choice.entry->why_not(request)) {
        continue;
      }
      const Plan plan = make_plan(request, make_schedule(*choice.entry, request));
      for (const PlannedLane& lane : plan.lanes) {
        visit(algorithm + " n=" + std::to_string(n), plan, lane);
      }
    }
  }
}

TEST(Plan, NothingLentIsWrittenBeforeItsSendIsOver) {
  const auto middle = [](std::size_t n) { return n / 2; };
  for_each_lane(middle, [](const std::string& name, const Plan& plan, const PlannedLane& lane) {
    std::uint32_t sends = 0;
    std::vector<std::array<std::uint32_t, kPlaces>> lent(plan.schedule.blocks());
    for (const PlannedTransfer& each : lane.transfers) {
      const bool is_send = each.action == Action::send;
      sends += is_send ? 1 : 0;
      for (const PlannedRun& run : lane.runs_of(each)) {
        for (std::size_t block = run.blocks.begin; block < run.blocks.end; ++block) {
          auto& last = lent[block][static_cast<std::size_t>(is_send ? run.from : run.to)];
          if (is_send) {
            last = sends;
          } else {
            EXPECT_LE(last, each.settled) << name;
          }
        }
      }
    }
  });
}

TEST(Plan, AReceiveNeverWaitsForASendOfItsOwnRound) {
  // Both partners would wait for each other to read first.
  const auto last = [](std::size_t n) { return n - 1; };
  for_each_lane(last, [](const std::string& name, const Plan&, const PlannedLane& lane) {
    std::uint32_t before = 0;
    for (std::size_t round = 0; round < lane.rounds(); ++round) {
      std::uint32_t sends = 0;
      for (const PlannedTransfer& each : lane.round(round)) {
        sends += each.action == Action::send ? 1 : 0;
        EXPECT_LE(each.settled, before) << name;
      }
      before += sends;
    }
  });
}

TEST(Plan, AnAllGatherCopiesItsOwnBlockOnly) {
  const Plan plan = plan_of("circulant", Operation::all_gather, 5, 3);
  EXPECT_EQ(plan.kept, (std::vector<Range>{{3, 4}}));
}

TEST(Plan, OnePeerCopiesItsInput) {
  const Plan plan = plan_of("ring", Operation::all_reduce, 1, 0);
  EXPECT_EQ(plan.kept, (std::vector<Range>{{0, 1}}));
  EXPECT_TRUE(plan.lanes.front().transfers.empty());
}

TEST(Plan, ABlockThatIsNotPromisedMovesBetweenScratchAndSpare) {
  // Rank 1 of a reduce is promised nothing; it lends the block while it adds to it.
  const Request request{.operation = Operation::reduce, .peers = 2, .rank = 1};
  Schedule schedule = make_schedule(2, 1, 1);
  for (int round = 0; round < 3; ++round) {
    schedule.lanes.front().open_round();
    schedule.lanes.front().transfer(Action::send, 0, {Range{0, 1}});
    schedule.lanes.front().transfer(Action::add, 0, {Range{0, 1}});
  }
  const Plan plan = make_plan(request, std::move(schedule));
  EXPECT_EQ(additions_of(plan),
            (Places{{Place::input, Place::scratch},
                    {Place::scratch, Place::spare},
                    {Place::spare, Place::scratch}}));
  EXPECT_EQ(stays(plan, Place::spare), (std::vector<Range>{{0, 1}}));
}

TEST(Plan, ScratchHasRoomForTheBlocksThatPassThroughOnly) {
  const Request request{.operation = Operation::reduce_scatter, .peers = 8, .rank = 2};
  const auto* ring = find_algorithm("ring", Operation::reduce_scatter).entry;
  const Plan plan = make_plan(request, make_schedule(*ring, request));
  for (const Range& run : stays(plan, Place::scratch)) {
    EXPECT_FALSE(run.begin <= 2 && 2 < run.end);
  }
  EXPECT_EQ(stays(plan, Place::output), (std::vector<Range>{{2, 3}}));
}

}  // namespace
}  // namespace starling::collective
