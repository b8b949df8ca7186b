#include "starling/topology/basic.hpp"

#include <gtest/gtest.h>

#include "starling/topology/catalog.hpp"

namespace starling::topology {
namespace {

constexpr double kThird = 1.0 / 3.0;
constexpr double kRounding = 1e-15;

TEST(Ring, GivesAThirdToEachNeighbour) {
  const auto ring = make_topology({.name = "ring", .peers = 5});
  const MixingRow row = ring->row(7, 0);
  const std::vector<Link> neighbours{{1, kThird}, {4, kThird}};
  EXPECT_EQ(row.receives, neighbours);
  EXPECT_EQ(row.sends, neighbours);
  EXPECT_NEAR(row.self_weight, kThird, kRounding);
  EXPECT_TRUE(ring->traits().symmetric);
  EXPECT_EQ(ring->period(), 1U);
}

TEST(Ring, OfTwoHasOneEdge) {
  const auto ring = make_topology({.name = "ring", .peers = 2});
  EXPECT_EQ(ring->row(0, 1).receives, (std::vector<Link>{{0, 0.5}}));
  EXPECT_EQ(ring->row(0, 1).self_weight, 0.5);
}

TEST(Full, GivesEverybodyTheSameWeight) {
  const auto full = make_topology({.name = "full", .peers = 8});
  for (std::size_t rank = 0; rank < 8; ++rank) {
    const MixingRow row = full->row(0, rank);
    ASSERT_EQ(row.receives.size(), 7U);
    for (const Link& link : row.receives) {
      EXPECT_EQ(link.weight, 0.125);
    }
    EXPECT_EQ(row.self_weight, 0.125);
  }
}

TEST(Full, CostsNoTableForManyPeers) {
  const auto full = make_topology({.name = "full", .peers = 4096});
  EXPECT_EQ(full->row(0, 4095).sends.size(), 4095U);
}

// Metropolis-Hastings on a star: 1/n on every edge, so the centre keeps 1/n and a leaf 1 - 1/n.
TEST(Star, CentreTalksToAll) {
  const auto star = make_topology({.name = "star", .peers = 4});
  EXPECT_EQ(star->row(0, 0).receives, (std::vector<Link>{{1, 0.25}, {2, 0.25}, {3, 0.25}}));
  EXPECT_EQ(star->row(0, 0).self_weight, 0.25);
  EXPECT_EQ(star->row(0, 2).sends, (std::vector<Link>{{0, 0.25}}));
  EXPECT_EQ(star->row(0, 2).self_weight, 0.75);
}

TEST(Path, EndsKeepTwoThirds) {
  const auto path = make_topology({.name = "path", .peers = 4});
  EXPECT_EQ(path->row(0, 0).receives, (std::vector<Link>{{1, kThird}}));
  EXPECT_NEAR(path->row(0, 0).self_weight, 2.0 / 3.0, kRounding);
  EXPECT_EQ(path->row(0, 1).receives, (std::vector<Link>{{0, kThird}, {2, kThird}}));
}

TEST(Path, PushSharesByTheSendersDegree) {
  const auto path = make_topology({.name = "path", .weights = "push", .peers = 3});
  EXPECT_EQ(path->row(0, 0).sends, (std::vector<Link>{{1, 0.5}}));
  EXPECT_EQ(path->row(0, 0).receives, (std::vector<Link>{{1, kThird}}));
  EXPECT_EQ(path->row(0, 0).self_weight, 0.5);
  EXPECT_FALSE(path->traits().row_stochastic);
  EXPECT_TRUE(path->traits().column_stochastic);
  EXPECT_FALSE(path->traits().symmetric);
}

TEST(Path, UniformUsesTheLargestDegree) {
  const auto path = make_topology({.name = "path", .weights = "uniform", .peers = 2});
  EXPECT_EQ(path->row(0, 0).self_weight, 0.5);
  const auto star = make_topology({.name = "star", .weights = "uniform", .peers = 5});
  EXPECT_EQ(star->row(0, 1).receives, (std::vector<Link>{{0, 0.2}}));
}

}  // namespace
}  // namespace starling::topology
