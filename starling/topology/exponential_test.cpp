#include "starling/topology/exponential.hpp"

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/topology/catalog.hpp"
#include "starling/topology/spectral.hpp"

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

/// The offset of a round.
std::size_t offset_of(const Topology& topology, std::uint64_t round) {
  return topology.row(round, 0).sends.at(0).rank;
}

TEST(OnePeerExponential, APermutationTakesEveryOffsetOnceInEveryCycle) {
  const auto graph = make_topology({.name = "exponential:permutation", .peers = 24});
  EXPECT_EQ(graph->period(), 0U);
  std::set<std::vector<std::size_t>> orders;
  for (std::uint64_t cycle = 0; cycle < 30; ++cycle) {
    std::vector<std::size_t> order;
    for (std::uint64_t s = 0; s < 5; ++s) {
      order.push_back(offset_of(*graph, 5 * cycle + s));
    }
    EXPECT_THAT(order, ::testing::UnorderedElementsAre(1, 2, 4, 8, 16));
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 15U) << "another order for every cycle";
}

// dsgd-ceca, T2: exact after a cycle for n = 2^tau as long as each offset comes once in it.
TEST(OnePeerExponential, ACycleOfAPermutationIsExactOnPowersOfTwo) {
  for (const std::size_t peers : {4U, 8U, 32U}) {
    const auto graph = make_topology({.name = "exponential:permutation", .peers = peers});
    const auto tau = static_cast<std::uint64_t>(std::log2(peers));
    for (std::uint64_t cycle = 0; cycle < 8; ++cycle) {
      EXPECT_NEAR(consensus_norm(mixing_product(*graph, cycle * tau, tau)), 0.0, 1e-12);
    }
    EXPECT_FALSE(graph->expected_contraction().has_value()) << "rounds depend on each other";
  }
}

TEST(OnePeerExponential, UniformDrawsEveryOffsetAlikeAndIsNotExact) {
  // 3000 draws of 3 offsets: each count has mean 1000 and deviation 25.8; 5 of those are 130.
  const auto graph = make_topology({.name = "exponential:uniform", .peers = 8});
  std::vector<int> counts(8);
  for (std::uint64_t round = 0; round < 3000; ++round) {
    ++counts[offset_of(*graph, round)];
  }
  for (const std::size_t offset : {1U, 2U, 4U}) {
    EXPECT_NEAR(counts[offset], 1000, 130) << offset;
  }
  double largest = 0.0;
  for (std::uint64_t cycle = 0; cycle < 10; ++cycle) {
    largest = std::max(largest, consensus_norm(mixing_product(*graph, 3 * cycle, 3)));
  }
  EXPECT_GT(largest, 0.5);
}

TEST(OnePeerExponential, UniformContractsAsItsMatricesDo) {
  for (const std::size_t peers : {3U, 8U, 12U, 33U}) {
    const auto cyclic = make_topology({.name = "exponential", .peers = peers});
    std::vector<Matrix> matrices;
    for (std::uint64_t round = 0; round < cyclic->period(); ++round) {
      matrices.push_back(mixing_matrix(*cyclic, round));
    }
    const auto uniform = make_topology({.name = "exponential:uniform", .peers = peers});
    EXPECT_NEAR(uniform->expected_contraction().value(), expected_contraction(matrices), 1e-12);
  }
}

TEST(OnePeerExponential, CyclicIsTheNameWithoutOrder) {
  const auto named = make_topology({.name = "exponential:cyclic", .peers = 12});
  const auto plain = make_topology({.name = "exponential", .peers = 12});
  for (std::uint64_t round = 0; round < 8; ++round) {
    EXPECT_EQ(named->row(round, 5), plain->row(round, 5));
  }
  EXPECT_TRUE(make_topology({.name = "exponential:uniform", .peers = 1})->row(0, 0).is_idle());
  EXPECT_EQ(make_topology({.name = "exponential:uniform", .peers = 2})->period(), 1U);
}

TEST(OnePeerExponential, RefusesAnUnknownOrderWithTheNearest) {
  try {
    make_topology({.name = "exponential:unifrom", .peers = 12});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("did you mean 'uniform'?"));
  }
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
