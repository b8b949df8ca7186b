#include "starling/collective/torus_color.hpp"

#include <set>

#include <gtest/gtest.h>

#include "starling/collective/dims.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {
namespace {

using Dims = std::vector<std::size_t>;

TEST(TorusColor, AllColorsStartOnEveryAxisInBothDirections) {
  const auto colors = torus_colors(3, 6);
  ASSERT_EQ(colors.size(), 6U);
  EXPECT_EQ(colors[0].axes, (Dims{0, 1, 2}));
  EXPECT_EQ(colors[1].axes, (Dims{1, 2, 0}));
  EXPECT_EQ(colors[5].axes, (Dims{2, 0, 1}));
  for (std::size_t c = 0; c < 6; ++c) {
    EXPECT_EQ(colors[c].turn, c < 3 ? Turn::forwards : Turn::backwards) << c;
  }
}

TEST(TorusColor, FewerAreTheFirstOfZeroDOneInAscendingOrder) {
  const auto two = torus_colors(3, 2);  // 0 and 3: one axis, both directions
  EXPECT_EQ(two[0].axes, two[1].axes);
  EXPECT_EQ(two[0].turn, Turn::forwards);
  EXPECT_EQ(two[1].turn, Turn::backwards);
  const auto three = torus_colors(3, 3);  // 0, 1, 3
  EXPECT_EQ(three[1].axes.front(), 1U);
  EXPECT_EQ(three[1].turn, Turn::forwards);
  EXPECT_EQ(three[2].axes.front(), 0U);
  EXPECT_EQ(three[2].turn, Turn::backwards);
}

TEST(TorusColor, ThereAreTwoAnAxisAndOneWithoutAxes) {
  EXPECT_THROW((void)torus_colors(2, 5), ContractError);
  EXPECT_THROW((void)torus_colors(2, 0), ContractError);
  EXPECT_EQ(torus_colors(0, 1).size(), 1U);
  EXPECT_THROW((void)torus_colors(0, 2), ContractError);
}

TEST(TorusColor, PositionsOfThePage) {
  // dims (2,3), node (x0,x1): colors 0 and 2: 3 x0 + x1; colors 1 and 3: 2 x1 + x0.
  const Dims dims{2, 3};
  const auto colors = torus_colors(2, 4);
  for (std::size_t rank = 0; rank < 6; ++rank) {
    const Dims x = coordinates(rank, dims);
    EXPECT_EQ(position_of(rank, colors[0], dims), 3 * x[0] + x[1]);
    EXPECT_EQ(position_of(rank, colors[1], dims), 2 * x[1] + x[0]);
    EXPECT_EQ(position_of(rank, colors[2], dims), 3 * x[0] + x[1]);
    EXPECT_EQ(position_of(rank, colors[3], dims), 2 * x[1] + x[0]);
  }
}

TEST(TorusColor, PositionIsABijection) {
  for (const Dims& dims : {Dims{5}, Dims{2, 3}, Dims{3, 2, 4}, Dims{2, 5, 3, 2}}) {
    for (const TorusColor& color : torus_colors(dims.size(), 2 * dims.size())) {
      std::set<std::size_t> positions;
      for (std::size_t rank = 0; rank < product(dims); ++rank) {
        const std::size_t position = position_of(rank, color, dims);
        positions.insert(position);
        EXPECT_EQ(rank_at_position(position, color, dims), rank);
      }
      EXPECT_EQ(positions.size(), product(dims));
      EXPECT_EQ(*positions.rbegin(), product(dims) - 1);
    }
  }
}

TEST(TorusColor, NeighboursGoRound) {
  const Dims dims{2, 3, 4};
  EXPECT_EQ(torus_neighbour(0, 2, Turn::backwards, dims), 3U);
  EXPECT_EQ(torus_neighbour(3, 2, Turn::forwards, dims), 0U);
  EXPECT_EQ(torus_neighbour(0, 1, Turn::forwards, dims), 4U);
  EXPECT_EQ(torus_neighbour(0, 1, Turn::backwards, dims), 8U);
  EXPECT_EQ(torus_neighbour(5, 0, Turn::forwards, dims), 17U);
  EXPECT_EQ(torus_neighbour(17, 0, Turn::forwards, dims), 5U);
}

TEST(TorusColor, ChunksOfAWindow) {
  EXPECT_EQ(sibling({6, 8}, 1, 3), (Range{10, 12}));
  EXPECT_EQ(sibling({6, 8}, 1, 0), (Range{4, 6}));
  EXPECT_EQ(window_around({6, 8}, 1, 4), (Range{4, 12}));
}

TEST(TorusColor, AxesOfExtentOneAreDropped) {
  EXPECT_EQ(long_axes(Dims{1, 4, 1, 2}), (Dims{4, 2}));
  EXPECT_TRUE(long_axes(Dims{1, 1}).empty());
}

}  // namespace
}  // namespace starling::collective
