#include "starling/topology/exponential.hpp"

#include <gtest/gtest.h>

#include "starling/topology/catalog.hpp"

namespace starling::topology {
namespace {

TEST(OnePeerExponential, SendsForwardAndReceivesFromBehind) {
  const auto graph = make_topology({.name = "exponential", .peers = 6});
  EXPECT_EQ(graph->period(), 3U);
  EXPECT_FALSE(graph->traits().symmetric);
  const std::size_t offsets[] = {1, 2, 4};
  for (std::uint64_t round = 0; round < 7; ++round) {
    const std::size_t offset = offsets[round % 3];
    for (std::size_t rank = 0; rank < 6; ++rank) {
      const MixingRow row = graph->row(round, rank);
      EXPECT_EQ(row.sends, (std::vector<Link>{{(rank + offset) % 6, 0.5}}));
      EXPECT_EQ(row.receives, (std::vector<Link>{{(rank + 6 - offset) % 6, 0.5}}));
      EXPECT_EQ(row.self_weight, 0.5);
    }
  }
}

TEST(OnePeerExponential, ForTwoPeersIsSymmetric) {
  EXPECT_TRUE(make_topology({.name = "exponential", .peers = 2})->traits().symmetric);
}

// n = 8: offsets 1, 2, 4, weight 1/4 each.
TEST(StaticExponential, UsesEveryOffsetInEveryRound) {
  const auto graph = make_topology({.name = "static-exponential", .peers = 8});
  EXPECT_EQ(graph->period(), 1U);
  const MixingRow row = graph->row(11, 1);
  EXPECT_EQ(row.receives, (std::vector<Link>{{0, 0.25}, {5, 0.25}, {7, 0.25}}));
  EXPECT_EQ(row.sends, (std::vector<Link>{{2, 0.25}, {3, 0.25}, {5, 0.25}}));
  EXPECT_EQ(row.self_weight, 0.25);
}

TEST(CeilLog2, IsTheBitLengthOfOneLess) {
  EXPECT_EQ(ceil_log2(1), 0U);
  EXPECT_EQ(ceil_log2(2), 1U);
  EXPECT_EQ(ceil_log2(8), 3U);
  EXPECT_EQ(ceil_log2(9), 4U);
}

}  // namespace
}  // namespace starling::topology
