#include "starling/topology/circulant.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"

namespace starling::topology {
namespace {

// sgp, m-peer form: distances equal modulo n are one message, a distance of 0 is none.
TEST(Circulant, MergesOffsetsThatMeetAndKeepsThoseThatComeHome) {
  const Circulant graph("two-peer", 6, {{{3, 0.25}, {9, 0.25}, {6, 0.25}}});
  const MixingRow row = graph.row(0, 1);
  EXPECT_EQ(row.receives, (std::vector<Link>{{4, 0.5}}));
  EXPECT_EQ(row.self_weight, 0.5);
}

TEST(Circulant, ReadsItsSymmetryOffTheShifts) {
  EXPECT_TRUE(Circulant("both ways", 5, {{{1, 0.2}, {4, 0.2}}}).traits().symmetric);
  EXPECT_FALSE(Circulant("leaning", 5, {{{1, 0.2}, {4, 0.3}}}).traits().symmetric);
  EXPECT_FALSE(Circulant("one way", 5, {{{1, 0.2}}}).traits().symmetric);
  EXPECT_TRUE(Circulant("half way", 4, {{{2, 0.2}}}).traits().symmetric);
}

TEST(Circulant, TakesUnequalWeights) {
  const Circulant graph("unequal", 5, {{{1, 0.5}, {3, 0.125}}});
  EXPECT_EQ(graph.row(0, 0).receives, (std::vector<Link>{{2, 0.125}, {4, 0.5}}));
  EXPECT_EQ(graph.row(0, 0).sends, (std::vector<Link>{{1, 0.5}, {3, 0.125}}));
  EXPECT_EQ(graph.row(0, 0).self_weight, 0.375);
}

TEST(Circulant, RefusesMoreThanTheWholeWeight) {
  EXPECT_THROW(Circulant("heavy", 5, {{{1, 0.75}, {2, 0.5}}}), ContractError);
  EXPECT_THROW(Circulant("negative", 5, {{{1, -0.5}}}), ContractError);
  EXPECT_THROW(Circulant("no rounds", 5, {}), ContractError);
}

// Distances 1 and n-1 with 1/2 each: cos(2 pi k / n), 0 for n = 4 and k = 1, -1 for k = 2.
TEST(LargestCosineSum, IsOverAllFrequenciesButZero) {
  const std::vector<Shift> both{{1, 0.5}, {3, 0.5}};
  EXPECT_NEAR(largest_cosine_sum(4, both), 0.0, 1e-15);
  const std::vector<Shift> none{{0, 1.0}};
  EXPECT_EQ(largest_cosine_sum(7, none), 1.0);
  const std::vector<Shift> half{{1, 1.0}};
  EXPECT_NEAR(largest_cosine_sum(2, half), -1.0, 1e-15);
  EXPECT_THROW(largest_cosine_sum(1, none), ContractError);
}

}  // namespace
}  // namespace starling::topology
