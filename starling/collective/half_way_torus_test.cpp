#include "starling/collective/half_way_torus.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "starling/collective/dims.hpp"

#include "tests/support/collective_cases.hpp"

namespace starling::collective {
namespace {

using starling::testing::ask;
using Dims = std::vector<std::size_t>;

TEST(HalfWayTorus, HasHalfTheRounds) {
  for (const Dims& dims : {Dims{4, 5}, Dims{2, 3}, Dims{7}, Dims{3, 3, 3}, Dims{2, 2}}) {
    std::size_t rounds = 0;
    for (const std::size_t extent : dims) {
      rounds += extent / 2;
    }
    const std::string name = "half-way-torus:" + dims_text(dims);
    const std::size_t peers = product(dims);
    const Schedule all_reduce = ask(name, {.peers = peers}).schedule(0);
    EXPECT_EQ(all_reduce.lanes.size(), dims.size());
    for (const Lane& lane : all_reduce.lanes) {
      EXPECT_EQ(lane.rounds(), 2 * rounds);
    }
    const auto gather =
        ask(name, {.operation = Operation::all_gather, .peers = peers, .elements = 99});
    EXPECT_EQ(gather.schedule(0).lanes.front().rounds(), rounds + 1);
  }
}

/// The most and the least that a directed pair of neighbours carries in one half.
std::pair<std::size_t, std::size_t> loads(const Dims& dims, std::size_t elements) {
  const auto verdict =
      ask("half-way-torus:" + dims_text(dims) + ":layout=split",
          {.operation = Operation::all_gather, .peers = product(dims), .elements = elements})
          .verdict();
  std::pair<std::size_t, std::size_t> range{0, elements};
  for (const auto& [link, traffic] : verdict.links) {
    range = {std::max(range.first, traffic.elements), std::min(range.second, traffic.elements)};
  }
  return range;
}

TEST(HalfWayTorus, OddAxesLoadEveryLinkWithItsShare) {
  // (p-1)/p m / (2D) as in the multiported torus
  EXPECT_EQ(loads({5}, 5 * 4), (std::pair<std::size_t, std::size_t>{8, 8}));
  EXPECT_EQ(loads({3, 3}, 9 * 4), (std::pair<std::size_t, std::size_t>{8, 8}));
  EXPECT_EQ(loads({3, 3, 3}, 27 * 6), (std::pair<std::size_t, std::size_t>{26, 26}));
}

TEST(HalfWayTorus, OnEvenAxesTheBusierLinkCarriesDByDMinusOneOfItsShare) {
  // d/2 and d/2 - 1 of the d chunks; the share of both would be (d-1)/2.
  EXPECT_EQ(loads({4}, 4), (std::pair<std::size_t, std::size_t>{2, 1}));
  EXPECT_EQ(loads({8}, 8), (std::pair<std::size_t, std::size_t>{4, 3}));
  EXPECT_EQ(loads({4, 4}, 64).first, 20U);  // 4/3 of 15/16 * 64 / 4
}

TEST(HalfWayTorus, SumsReachTheirOwnerFromBothSides) {
  const Schedule schedule =
      ask("half-way-torus:5", {.operation = Operation::reduce_scatter, .peers = 5, .elements = 5})
          .schedule(2);
  const Lane& lane = schedule.lanes.front();
  ASSERT_EQ(lane.rounds(), 3U);  // two, and nothing to reorder
  EXPECT_TRUE(lane.round(2).empty());
  std::vector<std::pair<std::size_t, std::size_t>> added;  // who, which block
  for (const Transfer& each : lane.round(1)) {
    if (each.action == Action::add) {
      added.emplace_back(each.peer, lane.blocks(each).front().begin);
    }
  }
  EXPECT_EQ(added, (std::vector<std::pair<std::size_t, std::size_t>>{{3, 2}, {1, 2}}));
}

}  // namespace
}  // namespace starling::collective
