#include "starling/collective/cut.hpp"

#include <gtest/gtest.h>

#include "starling/core/error.hpp"

namespace starling::collective {
namespace {

void expect_cover(const Cut& cut, std::size_t elements) {
  std::size_t next = 0;
  for (std::size_t block = 0; block < cut.blocks(); ++block) {
    const Range range = cut.elements_of_block(block, elements);
    EXPECT_EQ(range.begin, next) << block;
    EXPECT_LE(range.begin, range.end) << block;
    next = range.end;
  }
  EXPECT_EQ(next, elements);
}

TEST(Cut, CoversEveryLength) {
  for (const std::size_t elements : {0U, 1U, 5U, 11U, 12U, 13U, 1003U}) {
    expect_cover(Cut::equal(12), elements);
    expect_cover(Cut::regions({0.25, 0.25, 0.25, 0.25}, 3), elements);
    expect_cover(Cut::regions({0.4048, 0.0952, 0.0, 0.5}, 3), elements);
  }
}

TEST(Cut, EqualBlocksAreChunks) {
  for (std::size_t block = 0; block < 7; ++block) {
    EXPECT_EQ(Cut::equal(7).elements_of_block(block, 40), chunk(40, 7, block));
  }
}

TEST(Cut, EqualWeightsGiveNearEqualRegions) {
  const Cut cut = Cut::regions({0.25, 0.25, 0.25, 0.25}, 1);
  for (std::size_t region = 0; region < 4; ++region) {
    EXPECT_EQ(cut.elements_of_block(region, 10), chunk(10, 4, region));
  }
}

TEST(Cut, OtherWeightsRoundTheirBounds) {
  const Cut cut = Cut::regions({0.3, 0.7}, 1);
  EXPECT_EQ(cut.elements_of_block(0, 5), (Range{0, 2}));  // floor(1.5 + 1/2)
  EXPECT_EQ(cut.elements_of_block(1, 5), (Range{2, 5}));
}

TEST(Cut, ARunIsARunOfWholeBlocks) {
  const Cut cut = Cut::regions({0.3, 0.7}, 3);
  EXPECT_EQ(cut.elements({1, 5}, 100),
            (Range{cut.elements_of_block(1, 100).begin, cut.elements_of_block(4, 100).end}));
  EXPECT_TRUE(cut.elements({2, 2}, 100).empty());
}

TEST(Cut, TakesGivenLengths) {
  const Cut cut = Cut::of_lengths({3, 0, 4});
  EXPECT_EQ(cut.blocks(), 3U);
  EXPECT_EQ(cut.elements_of_block(2, 7), (Range{3, 7}));
  EXPECT_EQ(cut.bounds(7), (std::vector<std::size_t>{0, 3, 3, 7}));
}

TEST(Cut, RefusesSharesThatAreNone) {
  EXPECT_THROW((void)Cut::regions({0.5, 0.6}, 2), ContractError);
  EXPECT_THROW((void)Cut::regions({-0.5, 1.5}, 2), ContractError);
  EXPECT_THROW((void)Cut::at({0, 3, 2}), ContractError);
}

TEST(Cut, RefinesToTheBoundsOfBoth) {
  const auto bounds = refined({0, 3, 6, 9}, {0, 2, 6, 6, 9});
  EXPECT_EQ(bounds, (std::vector<std::size_t>{0, 2, 3, 6, 9}));
  EXPECT_EQ(blocks_within(bounds, {2, 6}), (Range{1, 3}));
  EXPECT_TRUE(blocks_within(bounds, {6, 6}).empty());
  EXPECT_THROW((void)blocks_within(bounds, {2, 5}), ContractError);
}

}  // namespace
}  // namespace starling::collective
