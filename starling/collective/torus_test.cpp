// What the torus algorithms promise: shapes, ownership, and the simpler algorithms they become.
#include "starling/collective/torus.hpp"

#include <string>

#include <gtest/gtest.h>

#include "starling/collective/dims.hpp"
#include "starling/collective/halving_doubling.hpp"
#include "starling/collective/ring.hpp"
#include "starling/collective/torus_color.hpp"
#include "starling/core/error.hpp"

#include "tests/support/torus_sweep.hpp"

namespace starling::collective {
namespace {

using starling::testing::ask;
using Dims = std::vector<std::size_t>;

class Torus : public ::testing::TestWithParam<Dims> {};

TEST_P(Torus, IsProvedByTheChecker) {
  starling::testing::expect_torus_proved(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Tori,
                         Torus,
                         ::testing::Values(Dims{1},
                                           Dims{2},
                                           Dims{5},
                                           Dims{2, 2},
                                           Dims{1, 4},
                                           Dims{2, 3},
                                           Dims{4, 2},
                                           Dims{3, 5},
                                           Dims{1, 1, 1},
                                           Dims{2, 2, 2},
                                           Dims{3, 1, 2},
                                           Dims{2, 3, 4}),
                         [](const auto& torus) { return dims_text(torus.param); });

/// A message with the elements it carries, whatever blocks they are cut into.
struct Carried {
  Action action = Action::send;
  std::size_t peer = 0;
  std::vector<Range> elements;

  friend bool operator==(const Carried&, const Carried&) = default;
};

/// The messages of rounds [begin, end) of a lane; empty ones and empty rounds are left out.
std::vector<Carried> carried(const Schedule& schedule,
                             std::size_t lane,
                             std::size_t elements,
                             const Range& rounds) {
  std::vector<Carried> all;
  for (std::size_t round = rounds.begin; round < rounds.end; ++round) {
    for (const Transfer& each : schedule.lanes[lane].round(round)) {
      Carried message{each.action, each.peer, {}};
      for (const Range& run : schedule.lanes[lane].blocks(each)) {
        const Range range = schedule.cut.elements(run, elements);
        if (!range.empty()) {
          message.elements.push_back(range);
        }
      }
      if (!message.elements.empty()) {
        all.push_back(std::move(message));
      }
    }
  }
  return all;
}

std::vector<Carried> carried(const Schedule& schedule, std::size_t lane, std::size_t elements) {
  return carried(schedule, lane, elements, {0, schedule.lanes[lane].rounds()});
}

/// Whether both do the same with a vector of `elements`, lane by lane.
void expect_same(const Schedule& a, const Schedule& b, std::size_t elements) {
  ASSERT_EQ(a.lanes.size(), b.lanes.size());
  for (std::size_t lane = 0; lane < a.lanes.size(); ++lane) {
    EXPECT_EQ(carried(a, lane, elements), carried(b, lane, elements)) << lane;
  }
}

TEST(TorusOwnership, ANodeReducesItsPositionsSubBlockOfEveryRegion) {
  const Dims dims{2, 3};
  constexpr std::size_t kElements = 101;
  const auto colors = torus_colors(2, 4);
  for (std::size_t rank = 0; rank < 6; ++rank) {
    for (const Operation operation : {Operation::all_reduce, Operation::reduce_scatter}) {
      const Schedule schedule = ask("multiported-torus:2x3:weights=equal",
                                    {.operation = operation, .peers = 6, .elements = kElements})
                                    .schedule(rank);
      ASSERT_EQ(schedule.owned.size(), 4U);
      for (std::size_t c = 0; c < 4; ++c) {
        const Range region = chunk(kElements, 4, c);
        const Range mine = chunk(region.size(), 6, position_of(rank, colors[c], dims));
        EXPECT_EQ(schedule.cut.elements(schedule.owned[c], kElements),
                  (Range{region.begin + mine.begin, region.begin + mine.end}));
      }
    }
  }
}

TEST(TorusOwnership, SplitBlocksOwnTheirPart) {
  for (std::size_t rank = 0; rank < 12; ++rank) {
    const auto asked = ask("multiported-torus:3x4:layout=split",
                           {.operation = Operation::reduce_scatter, .peers = 12, .elements = 101});
    const Schedule schedule = asked.schedule(rank);
    std::size_t owned = 0;
    for (const Range& run : schedule.owned) {
      const Range elements = schedule.cut.elements(run, 101);
      owned += elements.size();
      EXPECT_GE(elements.begin, chunk(101, 12, rank).begin);
      EXPECT_LE(elements.end, chunk(101, 12, rank).end);
    }
    EXPECT_EQ(owned, chunk(101, 12, rank).size());
  }
}

/// The rounds of an operation with and without the one that reorders blocks.
void expect_halves_of_all_reduce(const std::string& algorithm, std::size_t peers) {
  for (const std::size_t elements : {0U, 1U, 13U, 1009U}) {
    Request request{.peers = peers, .elements = elements};
    const auto whole = ask(algorithm, request);
    request.operation = Operation::reduce_scatter;
    const auto first = ask(algorithm, request);
    request.operation = Operation::all_gather;
    const auto second = ask(algorithm, request);
    for (std::size_t rank = 0; rank < peers; ++rank) {
      const Schedule all_reduce = whole.schedule(rank);
      const Schedule reduce_scatter = first.schedule(rank);
      const Schedule all_gather = second.schedule(rank);
      for (std::size_t lane = 0; lane < all_reduce.lanes.size(); ++lane) {
        const std::size_t half = all_reduce.lanes[lane].rounds() / 2;
        ASSERT_EQ(reduce_scatter.lanes[lane].rounds(), half + 1);
        ASSERT_EQ(all_gather.lanes[lane].rounds(), half + 1);
        EXPECT_EQ(carried(all_reduce, lane, elements, {0, half}),
                  carried(reduce_scatter, lane, elements, {0, half}));
        EXPECT_EQ(carried(all_reduce, lane, elements, {half, 2 * half}),
                  carried(all_gather, lane, elements, {1, half + 1}));
      }
    }
  }
}

TEST(TorusComposites, HalvesWithoutTheTwoReorderingRoundsAreAnAllReduce) {
  expect_halves_of_all_reduce("multiported-torus:2x3", 6);
  expect_halves_of_all_reduce("multiported-torus:3x2x4", 24);
  expect_halves_of_all_reduce("multiported-torus:4x4:colors=3", 16);
  expect_halves_of_all_reduce("half-way-torus:5x4", 20);
}

TEST(TorusReduces, OneAxisAndOneColorToTheRing) {
  for (std::size_t n = 1; n <= 9; ++n) {
    for (std::size_t rank = 0; rank < n; ++rank) {
      const Request request{.peers = n, .rank = rank};
      expect_same(bucket_torus(request), ring_all_reduce(request), 1009);
    }
  }
}

/// The number with its lowest `bits` bits in reverse order.
std::size_t mirrored(std::size_t number, std::size_t bits) {
  std::size_t mirror = 0;
  for (std::size_t bit = 0; bit < bits; ++bit) {
    mirror |= (number >> bit & 1U) << (bits - 1 - bit);
  }
  return mirror;
}

TEST(TorusReduces, AxesOfTwoAndOneColorToHalvingAndDoubling) {
  // The torus begins with the highest bit of a rank, halving and doubling with the lowest.
  for (std::size_t bits = 1; bits <= 5; ++bits) {
    const std::size_t n = std::size_t{1} << bits;
    std::vector<std::size_t> members;
    for (std::size_t rank = 0; rank < n; ++rank) {
      members.push_back(mirrored(rank, bits));
    }
    for (std::size_t rank = 0; rank < n; ++rank) {
      const Schedule cube = bucket_torus({.peers = n, .rank = rank, .dims = Dims(bits, 2)});
      const Schedule halving = halving_doubling_all_reduce({.peers = n, .rank = members[rank]});
      expect_same(cube, embedded(halving, n, members), 1009);
    }
  }
}

TEST(TorusReduces, OneColorToTheBucketAlgorithm) {
  for (std::size_t k = 0; k < kOperations; ++k) {
    const auto operation = static_cast<Operation>(k);
    if (operation == Operation::barrier || operation == Operation::all_to_all) {
      continue;
    }
    const Request request{.operation = operation, .peers = 12, .root = 5, .elements = 1009};
    for (std::size_t rank = 0; rank < 12; ++rank) {
      expect_same(ask("multiported-torus:3x4:colors=1", request).schedule(rank),
                  ask("bucket-torus:3x4", request).schedule(rank),
                  1009);
    }
  }
}

TEST(Torus, AxesOfExtentOneChangeNothing) {
  for (const char* name : {"bucket-torus", "multiported-torus", "half-way-torus"}) {
    const Request request{.peers = 12, .elements = 1009};
    for (std::size_t rank = 0; rank < 12; ++rank) {
      expect_same(ask(std::string(name) + ":1x3x1x4", request).schedule(rank),
                  ask(std::string(name) + ":3x4", request).schedule(rank),
                  1009);
    }
  }
}

TEST(Torus, OnePeerSendsNothing) {
  for (const char* name :
       {"bucket-torus:1x1", "multiported-torus:1:colors=2", "half-way-torus:1"}) {
    const Schedule schedule = ask(name, {.peers = 1, .elements = 7}).schedule(0);
    ASSERT_EQ(schedule.lanes.size(), 1U);
    EXPECT_TRUE(schedule.lanes.front().transfers().empty());
  }
}

std::string refusal(const std::string& algorithm, std::size_t peers) {
  try {
    (void)ask(algorithm, {.peers = peers, .elements = 64}).schedule(0);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

TEST(Torus, RefusesShapesAndColorsThatDoNotExist) {
  EXPECT_EQ(refusal("bucket-torus:4x4", 15),
            "collective bucket-torus: the extents 4x4 hold 16 peers, there are 15");
  EXPECT_EQ(
      refusal("multiported-torus:4x1x4:colors=5", 16),
      "collective multiported-torus: the torus has 4 colors, two for every axis longer than 1; "
      "found colors=5");
  EXPECT_EQ(
      refusal("multiported-torus:4x2:colors=2:weights=solved", 8),
      "collective multiported-torus: the torus has 4 colors, two for every axis longer than 1; "
      "weights=solved needs them all; found colors=2");
  EXPECT_EQ(refusal("multiported-torus:4x2:colors=4:weights=solved", 8), "none");
  EXPECT_EQ(refusal("multiported-torus:4x2:colors=3:weights=equal", 8), "none");
  EXPECT_NE(refusal("multiported-torus:4x2:weights=best", 8).find("weights is equal or solved"),
            std::string::npos);
  EXPECT_NE(refusal("bucket-torus:4x2:colors=2", 8).find("does not take 'colors=2'"),
            std::string::npos);
}

TEST(Torus, OtherWeightsAndColorsAreOtherSchedules) {
  // No option is ignored.
  const Request request{.peers = 8, .elements = 840};
  const Schedule plain = ask("multiported-torus:4x2", request).schedule(0);
  EXPECT_EQ(ask("multiported-torus:4x2:weights=equal", request).schedule(0).cut, plain.cut);
  EXPECT_NE(ask("multiported-torus:4x2:weights=solved", request).schedule(0).cut, plain.cut);
  EXPECT_NE(ask("multiported-torus:4x2:layout=split", request).schedule(0).cut, plain.cut);
  EXPECT_NE(ask("half-way-torus:4x3:weights=solved", {.peers = 12}).schedule(0).cut,
            ask("half-way-torus:4x3", {.peers = 12}).schedule(0).cut);
}

}  // namespace
}  // namespace starling::collective
