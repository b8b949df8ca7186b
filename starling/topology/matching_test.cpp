#include "starling/topology/matching.hpp"

#include <map>

#include <gtest/gtest.h>

#include "starling/topology/catalog.hpp"

namespace starling::topology {
namespace {

std::vector<MixingRow> rows(const Topology& topology, std::uint64_t round) {
  std::vector<MixingRow> all;
  for (std::size_t i = 0; i < topology.size(); ++i) {
    all.push_back(topology.row(round, i));
  }
  return all;
}

TEST(RandomMatching, PairsEverybodyOfAnEvenGroup) {
  const auto matching = make_topology({.name = "random-matching", .peers = 12, .seed = 5});
  for (std::uint64_t round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < 12; ++i) {
      const MixingRow row = matching->row(round, i);
      ASSERT_EQ(row.receives.size(), 1U);
      EXPECT_EQ(row.receives, row.sends);
      EXPECT_EQ(matching->row(round, row.sends[0].rank).sends[0].rank, i);
    }
  }
}

TEST(RandomMatching, IdlesOneOfAnOddGroup) {
  const auto matching = make_topology({.name = "random-matching", .peers = 7});
  for (std::uint64_t round = 0; round < 20; ++round) {
    std::size_t idle = 0;
    for (const MixingRow& row : rows(*matching, round)) {
      idle += row.is_idle() ? 1 : 0;
    }
    EXPECT_EQ(idle, 1U);
  }
}

TEST(RandomMatching, IsTheSameForTheSameSeedOnly) {
  const auto first = make_topology({.name = "random-matching", .peers = 16, .seed = 1});
  const auto again = make_topology({.name = "random-matching", .peers = 16, .seed = 1});
  const auto other = make_topology({.name = "random-matching", .peers = 16, .seed = 2});
  EXPECT_EQ(rows(*first, 9), rows(*again, 9));
  EXPECT_NE(rows(*first, 9), rows(*other, 9));
  EXPECT_NE(rows(*first, 9), rows(*first, 10));
}

// n = 4 has 3 matchings. Over 3000 rounds each count is binomial with mean 1000 and deviation 25.8;
// 5 of those are 130. The seed is fixed, so this cannot fail by chance later.
TEST(RandomMatching, DrawsAllMatchingsAlike) {
  const auto matching = make_topology({.name = "random-matching", .peers = 4});
  std::map<std::size_t, int> partners_of_zero;
  for (std::uint64_t round = 0; round < 3000; ++round) {
    ++partners_of_zero[matching->row(round, 0).sends.at(0).rank];
  }
  ASSERT_EQ(partners_of_zero.size(), 3U);
  for (const auto& [partner, count] : partners_of_zero) {
    EXPECT_NEAR(count, 1000, 130) << partner;
  }
}

}  // namespace
}  // namespace starling::topology
