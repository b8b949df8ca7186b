#include "starling/collective/clos.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "starling/collective/halving_doubling.hpp"
#include "starling/core/error.hpp"

#include "tests/support/collective_cases.hpp"

namespace starling::collective {
namespace {

using starling::testing::ask;

class Clos : public ::testing::TestWithParam<Operation> {};

TEST_P(Clos, IsProvedByTheChecker) {
  for (std::size_t n = 1; n <= 64; n *= 2) {
    for (const std::size_t elements :
         {std::size_t{0}, std::size_t{1}, n - 1, n, n + 1, std::size_t{1009}}) {
      EXPECT_EQ(
          ask("clos", {.operation = GetParam(), .peers = n, .elements = elements}).verdict().flaw,
          std::nullopt)
          << n << " " << elements;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operations,
                         Clos,
                         ::testing::Values(Operation::all_reduce,
                                           Operation::all_gather,
                                           Operation::reduce_scatter),
                         [](const auto& operation) -> std::string {
                           switch (operation.param) {
                             case Operation::all_reduce:
                               return "AllReduce";
                             case Operation::all_gather:
                               return "AllGather";
                             default:
                               return "ReduceScatter";
                           }
                         });

TEST(ClosParts, MayHaveAnyLength) {
  for (const Operation operation : {Operation::all_gather, Operation::reduce_scatter}) {
    const Request request{.operation = operation, .peers = 4, .elements = 9, .parts = {3, 0, 5, 1}};
    EXPECT_EQ(ask("clos", request).verdict().flaw, std::nullopt);
  }
}

TEST(ClosSteps, EightRanksSendOneTwoAndFourBlocksAtDistancesFourTwoAndOne) {
  for (std::size_t rank = 0; rank < 8; ++rank) {
    const Schedule schedule = clos_all_gather(
        {.operation = Operation::all_gather, .peers = 8, .rank = rank, .elements = 8});
    const Lane& lane = schedule.lanes.front();
    ASSERT_EQ(lane.rounds(), 4U);
    for (std::size_t step = 0; step < 3; ++step) {
      const Transfer& sent = lane.round(step + 1).front();
      ASSERT_EQ(lane.blocks(sent).size(), 1U);  // in one piece
      EXPECT_EQ(lane.blocks(sent).front().size(), std::size_t{1} << step);
      EXPECT_EQ(sent.peer, rank ^ (std::size_t{4} >> step));
    }
  }
}

TEST(ClosSteps, FirstBlocksGoToTheRankWithReversedBits) {
  const std::size_t mirror[] = {0, 4, 2, 6, 1, 5, 3, 7};
  for (std::size_t rank = 0; rank < 8; ++rank) {
    const Schedule schedule = clos_all_gather(
        {.operation = Operation::all_gather, .peers = 8, .rank = rank, .elements = 8});
    const auto first = schedule.lanes.front().round(0);
    if (mirror[rank] == rank) {
      EXPECT_TRUE(first.empty());
      continue;
    }
    ASSERT_EQ(first.size(), 2U);
    EXPECT_EQ(first.front().peer, mirror[rank]);
    EXPECT_EQ(schedule.lanes.front().blocks(first.front()).front(), (Range{rank, rank + 1}));
  }
}

TEST(ClosSteps, WithoutItsTwoSwapsAnAllReduceIsHalvingAndDoubling) {
  for (std::size_t n = 1; n <= 32; n *= 2) {
    for (std::size_t rank = 0; rank < n; ++rank) {
      const Schedule clos = clos_all_reduce({.peers = n, .rank = rank});
      const Schedule halving = halving_doubling_all_reduce({.peers = n, .rank = rank});
      EXPECT_EQ(clos.owned, halving.owned);
      const Lane& a = clos.lanes.front();
      const Lane& b = halving.lanes.front();
      ASSERT_EQ(a.transfers().size(), b.transfers().size());
      for (std::size_t k = 0; k < a.transfers().size(); ++k) {
        EXPECT_EQ(a.transfers()[k].peer, b.transfers()[k].peer);
        EXPECT_EQ(a.blocks(a.transfers()[k]).front(), b.blocks(b.transfers()[k]).front());
      }
    }
  }
}

TEST(ClosSteps, OtherNumbersOfPeersAreRefusedWithTheNearest) {
  try {
    (void)ask("clos", {.peers = 12, .elements = 8}).schedule(0);
    FAIL() << "12 peers were taken";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "collective clos: a power of two of peers is needed, such as 8 or 16, found 12");
  }
}

}  // namespace
}  // namespace starling::collective
