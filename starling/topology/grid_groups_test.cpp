#include "starling/topology/grid_groups.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"

namespace starling::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(GridGroups, LinesDifferInOneCoordinate) {
  const GridGroups grid = GridGroups::in_order({2, 3, 4}, 24);
  for (std::size_t rank = 0; rank < 24; ++rank) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto line = grid.line(rank, axis);
      ASSERT_EQ(line.size(), grid.extents()[axis]);
      EXPECT_EQ(std::count(line.begin(), line.end(), rank), 1);
      for (std::size_t k = 0; k < line.size(); ++k) {
        auto expected = grid.coordinates(rank);
        expected[axis] = k;
        EXPECT_EQ(grid.coordinates(line[k]), expected);
      }
    }
  }
}

TEST(GridGroups, AreNumberedRowMajor) {
  const GridGroups grid = GridGroups::in_order({2, 3}, 6);
  EXPECT_THAT(grid.coordinates(4), ElementsAre(1, 1));
  EXPECT_THAT(grid.line(4, 0), ElementsAre(1, 4));
  EXPECT_THAT(grid.line(4, 1), ElementsAre(3, 4, 5));
}

TEST(GridGroups, EmptyCellsAreNobody) {
  const GridGroups grid = GridGroups::in_order({3, 3}, 7);
  EXPECT_FALSE(grid.is_full());
  EXPECT_THAT(grid.line(6, 1), ElementsAre(6));
  EXPECT_THAT(grid.line(1, 0), ElementsAre(1, 4));
}

TEST(GridGroups, MembersOfALineSeeTheSameLine) {
  const GridGroups grid = GridGroups::scattered({4, 5}, 13, 3);
  for (std::size_t rank = 0; rank < 13; ++rank) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      for (const std::size_t other : grid.line(rank, axis)) {
        EXPECT_EQ(grid.line(other, axis), grid.line(rank, axis));
      }
    }
  }
}

TEST(GridGroups, TheSeedScattersPeersOverDistinctCells) {
  const auto cells_of = [](std::uint64_t seed) {
    const GridGroups grid = GridGroups::scattered({4, 4}, 9, seed);
    std::vector<std::vector<std::size_t>> cells;
    for (std::size_t rank = 0; rank < 9; ++rank) {
      cells.push_back(grid.coordinates(rank));
    }
    return cells;
  };
  const auto cells = cells_of(1);
  EXPECT_EQ(std::set(cells.begin(), cells.end()).size(), 9U);
  EXPECT_EQ(cells, cells_of(1));
  EXPECT_NE(cells, cells_of(2));
}

TEST(GridGroups, TheMostSquareGridHoldsEverybody) {
  EXPECT_THAT(square_grid(1), ElementsAre(1, 1));
  EXPECT_THAT(square_grid(1024), ElementsAre(32, 32));
  EXPECT_THAT(square_grid(1025), ElementsAre(33, 32));
  for (std::size_t peers = 1; peers < 200; ++peers) {
    const GridExtents extents = square_grid(peers);
    EXPECT_GE(extents[0] * extents[1], peers);
    EXPECT_LT(extents[0] * (extents[1] - 1), peers);
    EXPECT_LE(extents[0] - extents[1], 1U);
  }
}

TEST(GridGroups, AreWrittenWithAnX) {
  EXPECT_THAT(parse_grid("8x8x8", 512), ElementsAre(8, 8, 8));
  EXPECT_THAT(parse_grid("7", 3), ElementsAre(7));
  EXPECT_EQ(to_string(parse_grid("32x32", 900)), "32x32");
}

TEST(GridGroups, WhatIsNoGridIsRefusedWithOneThatIs) {
  const auto refusal = [](const std::string& text, std::size_t peers) -> std::string {
    try {
      parse_grid(text, peers);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  for (const char* text : {"", "x", "3x", "3x0", "3x-1", "axb", "3 x 3", "4.0x4"}) {
    EXPECT_THAT(refusal(text, 9), HasSubstr("is no grid")) << text;
    EXPECT_THAT(refusal(text, 9), HasSubstr("3x3 holds 9 peers")) << text;
  }
  EXPECT_EQ(refusal("3x3", 10), "grid: '3x3' has 9 cells for 10 peers; 4x3 holds 10 peers");
  EXPECT_THAT(refusal("4294967296x4294967296", 10), HasSubstr("more than"));
}

TEST(GridGroups, MorePeersThanCellsBreakTheContract) {
  EXPECT_THROW(GridGroups::in_order({2, 2}, 5), ContractError);
  EXPECT_THROW(GridGroups::in_order({2, 0}, 1), ContractError);
  EXPECT_THROW(GridGroups::in_order({}, 1), ContractError);
}

}  // namespace
}  // namespace starling::topology
