#include "starling/optimizer/learning_rate.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"

namespace starling::optimizer {
namespace {

using ::testing::HasSubstr;

std::string refusal(const LearningRateOptions& options) {
  try {
    const LearningRate rate(options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LearningRate, ConstantStaysAtItsBase) {
  const LearningRate rate({.base = 0.25F});
  EXPECT_EQ(rate.at(0), 0.25F);
  EXPECT_EQ(rate.at(1'000'000), 0.25F);
}

TEST(LearningRate, StepDropsAtFractionsAndAtAbsoluteSteps) {
  const LearningRate rate({.base = 1.0F,
                           .schedule = "step",
                           .total_steps = 100,
                           .drop_at = {0.5, 80.0},
                           .drop_factor = 0.5});
  EXPECT_EQ(rate.at(49), 1.0F);
  EXPECT_EQ(rate.at(50), 0.5F);
  EXPECT_EQ(rate.at(79), 0.5F);
  EXPECT_EQ(rate.at(80), 0.25F);
}

TEST(LearningRate, DropsNeedNoOrder) {
  const LearningRateOptions options{
      .base = 1.0F, .schedule = "step", .drop_at = {20.0, 10.0}, .drop_factor = 0.5};
  const LearningRate rate(options);
  EXPECT_EQ(rate.at(10), 0.5F);
  EXPECT_EQ(rate.at(20), 0.25F);
}

TEST(LearningRate, CosineFallsFromBaseThroughTheMiddleToItsEnd) {
  const LearningRate rate(
      {.base = 2.0F, .schedule = "cosine", .total_steps = 100, .final_fraction = 0.1});
  EXPECT_EQ(rate.at(0), 2.0F);
  EXPECT_NEAR(rate.at(50), 2.0 * 0.55, 1e-6);  // cos(pi/2) = 0: the mean of 1 and 0.1
  EXPECT_NEAR(rate.at(100), 0.2, 1e-7);
  EXPECT_NEAR(rate.at(500), 0.2, 1e-7);
  for (std::uint64_t step = 0; step < 100; ++step) {
    EXPECT_GT(rate.at(step), rate.at(step + 1));
  }
}

TEST(LearningRate, WarmUpClimbsLinearlyAndNeverStartsAtZero) {
  const LearningRate rate({.base = 1.0F, .warmup_steps = 4});
  EXPECT_EQ(rate.at(0), 0.25F);
  EXPECT_EQ(rate.at(1), 0.5F);
  EXPECT_EQ(rate.at(3), 1.0F);
  EXPECT_EQ(rate.at(4), 1.0F);
}

TEST(LearningRate, CosineStartsWhereWarmUpEnds) {
  const LearningRate rate(
      {.base = 1.0F, .schedule = "cosine", .total_steps = 30, .warmup_steps = 10});
  EXPECT_EQ(rate.at(9), 1.0F);
  EXPECT_EQ(rate.at(10), 1.0F);
  EXPECT_NEAR(rate.at(20), 0.5, 1e-6);
}

TEST(LearningRate, WarmUpLongerThanTheRunIsOnlyWarmUp) {
  const LearningRate rate(
      {.base = 1.0F, .schedule = "cosine", .total_steps = 4, .warmup_steps = 10});
  EXPECT_FLOAT_EQ(rate.at(3), 0.4F);
}

TEST(LearningRate, FollowsTheLengthOfTheRunIfAFractionOfItCounts) {
  EXPECT_FALSE(follows_length({.schedule = "constant", .drop_at = {0.5}}));
  EXPECT_TRUE(follows_length({.schedule = "cosine"}));
  EXPECT_TRUE(follows_length({.schedule = "step", .drop_at = {30.0, 0.5}}));
  EXPECT_TRUE(follows_length({.schedule = "step", .drop_at = {1.0}}));
  EXPECT_FALSE(follows_length({.schedule = "step", .drop_at = {30.0}}));
}

TEST(LearningRate, RefusesWhatIsOutOfRange) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refusal({.base = -0.1F}), HasSubstr("base is -0.1"));
  EXPECT_THAT(refusal({.base = nan}), HasSubstr("base is nan"));
  EXPECT_THAT(refusal({.schedule = "cosin"}), HasSubstr("did you mean 'cosine'?"));
  EXPECT_THAT(refusal({.schedule = "cosine"}), HasSubstr("total_steps is 0"));
  EXPECT_THAT(refusal({.schedule = "cosine", .total_steps = 9, .final_fraction = 1.5}),
              HasSubstr("final_fraction is 1.5"));
  EXPECT_THAT(refusal({.schedule = "step"}), HasSubstr("at least one place"));
  EXPECT_THAT(refusal({.schedule = "step", .drop_at = {0.5}}), HasSubstr("total_steps is 0"));
  EXPECT_THAT(refusal({.schedule = "step", .total_steps = 9, .drop_at = {-1.0}}),
              HasSubstr("drop_at is -1"));
  EXPECT_THAT(refusal({.schedule = "step", .drop_at = {5.0}, .drop_factor = 0.0}),
              HasSubstr("drop_factor is 0"));
}

}  // namespace
}  // namespace starling::optimizer
