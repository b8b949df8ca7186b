#include "starling/core/span_math.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"
#include "starling/core/random.hpp"

namespace starling {

namespace {

/// Sizes around the widths of vector registers, and one past the blocks of mean().
const std::vector<std::size_t> kSizes = {0, 1, 3, 4, 7, 8, 9, 31, 1025};

std::vector<float> drawn(std::size_t size, std::uint64_t stream) {
  Random random(3, stream);
  std::vector<float> values(size);
  for (float& value : values) {
    value = static_cast<float>(random.normal());
  }
  return values;
}

// Every result below is compared bit for bit: one rounding an operation, whatever the register
// width.
TEST(SpanMath, AddsElementByElement) {
  for (const std::size_t size : kSizes) {
    const auto x = drawn(size, 1);
    const auto before = drawn(size, 2);
    auto y = before;
    add(x, y);
    for (std::size_t k = 0; k < size; ++k) {
      ASSERT_EQ(y[k], before[k] + x[k]);
    }
    std::vector<float> out(size);
    sum(before, x, out);
    EXPECT_EQ(out, y);
    auto in_place = before;
    sum(in_place, x, in_place);
    EXPECT_EQ(in_place, y);
    copy(x, out);
    EXPECT_EQ(out, x);
  }
}

TEST(SpanMath, ScalesWithoutFusing) {
  for (const std::size_t size : kSizes) {
    const auto x = drawn(size, 1);
    const auto before = drawn(size, 2);
    auto y = before;
    add_scaled(0.3F, x, y);
    for (std::size_t k = 0; k < size; ++k) {
      const volatile float product = 0.3F * x[k];  // kept apart from the addition
      ASSERT_EQ(y[k], before[k] + product);
    }
    y = before;
    scale(-1.7F, y);
    std::vector<float> out(size);
    scaled_copy(-1.7F, before, out);
    for (std::size_t k = 0; k < size; ++k) {
      ASSERT_EQ(y[k], -1.7F * before[k]);
    }
    EXPECT_EQ(out, y);
    y = before;
    blend(0.9F, y, 0.1F, x);
    for (std::size_t k = 0; k < size; ++k) {
      const volatile float kept = 0.9F * before[k];
      const volatile float added = 0.1F * x[k];
      ASSERT_EQ(y[k], kept + added);
    }
  }
}

TEST(SpanMath, ApproachesAndLeavesWhatIsEqualAlone) {
  const std::vector<float> x{1.0F, 0.1F, -3.0F, 1e-40F, 1e30F};
  std::vector<float> y = x;
  approach(1.0F / 3.0F, x, y);
  EXPECT_EQ(y, x);
  y = {4.0F, 0.1F, 0.0F, 0.0F, 0.0F};
  approach(0.25F, x, y);
  EXPECT_EQ(y, (std::vector<float>{3.25F, 0.1F, -0.75F, 0.25F * 1e-40F, 0.25F * 1e30F}));
}

TEST(SpanMath, MeanSumsInDoubleAndRoundsOnce) {
  for (const std::size_t size : kSizes) {
    const std::vector<std::vector<float>> models = {drawn(size, 1), drawn(size, 2), drawn(size, 3)};
    const std::vector<std::span<const float>> spans(models.begin(), models.end());
    std::vector<float> out(size);
    mean(spans, out);
    for (std::size_t k = 0; k < size; ++k) {
      const double total = double{models[0][k]} + double{models[1][k]} + double{models[2][k]};
      ASSERT_EQ(out[k], static_cast<float>(total / 3));
    }
  }
}

TEST(SpanMath, MeanOfEqualModelsIsThatModel) {
  const auto model = drawn(100, 5);
  const std::vector<std::span<const float>> seven(7, std::span<const float>(model));
  std::vector<float> out(100);
  mean(seven, out);
  EXPECT_EQ(out, model);
}

TEST(SpanMath, FindsWhatIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {nan, -nan, infinity, -infinity}) {
    for (const std::size_t where : {0U, 1U, 16U, 32U}) {
      std::vector<float> values(33, 1.0F);
      EXPECT_TRUE(is_finite(values));
      EXPECT_EQ(first_not_finite(values), values.size());
      values[where] = bad;
      EXPECT_FALSE(is_finite(values));
      EXPECT_EQ(first_not_finite(values), where);
    }
  }
  const std::vector<float> extremes = {std::numeric_limits<float>::max(),
                                       std::numeric_limits<float>::lowest(),
                                       std::numeric_limits<float>::denorm_min(),
                                       -0.0F};
  EXPECT_TRUE(is_finite(extremes));
  EXPECT_TRUE(is_finite({}));
}

TEST(SpanMath, MeasuresDistanceInDouble) {
  const std::vector<float> a = {1.0F, 1e20F, 0.0F};
  const std::vector<float> b = {0.0F, 0.0F, 2.0F};
  // 1e40 is beyond a float; 1e20F is not 1e20, so the square is taken of what the float holds.
  EXPECT_EQ(squared_distance(a, b), 1.0 + double{1e20F} * double{1e20F} + 4.0);
  EXPECT_EQ(squared_distance(a, a), 0.0);
}

TEST(SpanMath, RefusesUnequalSizes) {
  std::vector<float> three(3);
  std::vector<float> four(4);
  const std::vector<std::span<const float>> models = {three, four};
  EXPECT_THROW(copy(three, four), ContractError);
  EXPECT_THROW(add(three, four), ContractError);
  EXPECT_THROW(sum(three, three, four), ContractError);
  EXPECT_THROW(sum(three, four, three), ContractError);
  EXPECT_THROW(add_scaled(1.0F, three, four), ContractError);
  EXPECT_THROW(blend(1.0F, three, 1.0F, four), ContractError);
  EXPECT_THROW(scaled_copy(1.0F, three, four), ContractError);
  EXPECT_THROW(approach(0.5F, three, four), ContractError);
  EXPECT_THROW(mean(models, three), ContractError);
  EXPECT_THROW(mean({}, three), ContractError);
  EXPECT_THROW((void)squared_distance(three, four), ContractError);
}

}  // namespace

}  // namespace starling
