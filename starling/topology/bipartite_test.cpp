#include "starling/topology/bipartite.hpp"

#include <gtest/gtest.h>

#include "starling/topology/catalog.hpp"

namespace starling::topology {
namespace {

std::vector<std::size_t> neighbours(std::size_t peers, std::size_t rank) {
  std::vector<std::size_t> ranks;
  const auto graph = make_topology({.name = "bipartite", .peers = peers});
  for (const Link& link : graph->row(0, rank).receives) {
    ranks.push_back(link.rank);
  }
  return ranks;
}

TEST(Bipartite, LinksOppositeParitiesOnly) {
  for (std::size_t peers = 1; peers <= 33; ++peers) {
    for (std::size_t i = 0; i < peers; ++i) {
      for (const std::size_t j : neighbours(peers, i)) {
        EXPECT_EQ((i + j) % 2, 1U) << peers;
      }
    }
  }
}

// n = 16: floor(log2 15) = 3 chords, offsets 1, 3, 5, 9 both ways (9 back is 7 ahead).
TEST(Bipartite, IsARingWithChords) {
  EXPECT_EQ(neighbours(16, 0), (std::vector<std::size_t>{1, 3, 5, 7, 9, 11, 13, 15}));
  EXPECT_EQ(neighbours(6, 0), (std::vector<std::size_t>{1, 3, 5}));
  EXPECT_EQ(neighbours(32, 0), (std::vector<std::size_t>{1, 3, 5, 9, 15, 17, 23, 27, 29, 31}));
}

// n = 5: chords k = 1, 2 give offsets 1, 3, 5; between opposite parities remain the path and 0-3,
// 1-4.
TEST(Bipartite, OfAnOddGroupLeavesOutEqualParities) {
  EXPECT_EQ(neighbours(5, 0), (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(neighbours(5, 4), (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(neighbours(5, 2), (std::vector<std::size_t>{1, 3}));
}

}  // namespace
}  // namespace starling::topology
