#include "starling/cli/progress.hpp"

#include <gtest/gtest.h>

namespace starling::cli {
namespace {

ProgressState half_way() {
  return {.steps = 120.0, .total = 240, .loss = 0.73121, .elapsed_seconds = 10.0};
}

TEST(ProgressLine, ShowsAllOnAWideTerminal) {
  EXPECT_EQ(progress_line(half_way(), 80),
            "[==========>          ]   50 %  step 120/240  0:10 left  loss 0.7312  12 steps/s");
}

TEST(ProgressLine, LeavesOutTheLeastImportantFirst) {
  EXPECT_EQ(progress_line(half_way(), 60),
            "[======>      ]   50 %  step 120/240  0:10 left  loss 0.7312");
  EXPECT_EQ(progress_line(half_way(), 40), "[========>        ]   50 %  step 120/240");
  EXPECT_EQ(progress_line(half_way(), 20), " 50 %  step 120/240");
  EXPECT_EQ(progress_line(half_way(), 10), " 50 %");
  EXPECT_EQ(progress_line(half_way(), 3), "");
}

TEST(ProgressLine, NeverExceedsTheWidth) {
  for (std::size_t width = 0; width < 200; ++width) {
    for (const double steps : {0.0, 0.4, 120.0, 239.9, 240.0, 500.0}) {
      ProgressState state = half_way();
      state.steps = steps;
      EXPECT_LE(progress_line(state, width).size(), width) << width << " " << steps;
    }
  }
}

TEST(ProgressLine, AResumedRunIsNotFasterThanItIs) {
  ProgressState state = half_way();
  state.first = 110;
  EXPECT_EQ(progress_text(state, 80), " 50 %  step 120/240  2:00 left  loss 0.7312  1 steps/s");
}

TEST(ProgressLine, InventsNothingWhenTheLengthIsUnknown) {
  const ProgressState state{.steps = 120.0, .total = 0, .loss = 0.5, .elapsed_seconds = 10.0};
  EXPECT_EQ(progress_line(state, 80), "step 120  loss 0.5  12 steps/s");
}

TEST(ProgressLine, ShowsNoLossBeforeThereIsOne) {
  const ProgressState state{.total = 10};
  EXPECT_EQ(progress_text(state, 80), "  0 %  step 0/10");
}

}  // namespace
}  // namespace starling::cli
