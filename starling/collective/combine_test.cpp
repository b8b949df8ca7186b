#include "starling/collective/combine.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"
#include "starling/core/range.hpp"

namespace starling::collective {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float one(Reduction reduction, float a, float b) {
  float out = 0.0F;
  combine({reduction}, std::span(&a, 1), std::span(&b, 1), std::span(&out, 1));
  return out;
}

bool same_bits(float a, float b) {
  return std::memcmp(&a, &b, sizeof(float)) == 0;
}

TEST(Combine, EveryReductionIsSymmetricToTheBit) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::array<float, 9> values{
      0.0F, -0.0F, 1.0F, -1.0F, 1e-40F, kInfinity, -kInfinity, nan, -nan};
  for (const Reduction reduction : {Reduction::min, Reduction::max}) {
    for (const float a : values) {
      for (const float b : values) {
        EXPECT_TRUE(same_bits(one(reduction, a, b), one(reduction, b, a))) << a << " " << b;
      }
    }
  }
}

TEST(Combine, OrdersTheZerosAndKeepsNaNInSight) {
  EXPECT_TRUE(std::signbit(one(Reduction::min, 0.0F, -0.0F)));
  EXPECT_FALSE(std::signbit(one(Reduction::max, 0.0F, -0.0F)));
  EXPECT_TRUE(std::isnan(one(Reduction::min, 1.0F, std::nanf(""))));
  EXPECT_TRUE(std::isnan(one(Reduction::max, std::nanf(""), kInfinity)));
  EXPECT_EQ(one(Reduction::min, -2.0F, 3.0F), -2.0F);
  EXPECT_EQ(one(Reduction::max, -2.0F, 3.0F), 3.0F);
  EXPECT_EQ(one(Reduction::mean, 1.0F, 3.0F), 4.0F);  // scaled later, where the sum is complete
}

std::vector<float> ramp(std::size_t size, float slope) {
  std::vector<float> values(size);
  for (std::size_t k = 0; k < size; ++k) {
    values[k] = static_cast<float>(k) * slope;
  }
  return values;
}

TEST(Combine, TilesAndStreamsHaveTheBitsOfOnePass) {
  constexpr std::size_t kElements = 5003;
  const std::vector<float> a = ramp(kElements, 0.37F);
  const std::vector<float> b = ramp(kElements, -0.11F);
  for (const Store store : {Store::cached, Store::streamed}) {
    for (const std::size_t divisor : {1U, 3U}) {
      const float factor = 1.0F / static_cast<float>(divisor);
      std::vector<float> out(kElements);
      combine({Reduction::mean, divisor, store}, a, b, out);
      for (std::size_t k = 0; k < kElements; ++k) {
        EXPECT_EQ(out[k], (a[k] + b[k]) * factor);
      }
    }
  }
}

TEST(Combine, StreamsWriteAnyPartOfAVectorAndNothingElse) {
  constexpr std::size_t kElements = 80;
  const std::vector<float> in = ramp(kElements, 1.0F);
  for (std::size_t begin = 0; begin < 20; ++begin) {
    for (std::size_t end = begin; end <= kElements; ++end) {
      const Range range{begin, end};
      std::vector<float> moved(kElements, -1.0F);
      std::vector<float> added(kElements, -1.0F);
      const std::span<const float> from = part(std::span<const float>(in), range);
      move_into(from, part(std::span<float>(moved), range), Store::streamed);
      combine({.store = Store::streamed}, from, from, part(std::span<float>(added), range));
      for (std::size_t k = 0; k < kElements; ++k) {
        const bool inside = begin <= k && k < end;
        ASSERT_EQ(moved[k], inside ? in[k] : -1.0F) << begin << " " << end;
        ASSERT_EQ(added[k], inside ? 2 * in[k] : -1.0F) << begin << " " << end;
      }
    }
  }
}

template <class T>
T combined(Reduction reduction, T a, T b, std::size_t divisor = 1) {
  T out{};
  combine({reduction, divisor}, std::span(&a, 1), std::span(&b, 1), std::span(&out, 1));
  return out;
}

TEST(Combine, ComputesEveryReductionInEveryType) {
  EXPECT_EQ(combined(Reduction::sum, 2.5, 0.25), 2.75);
  EXPECT_EQ(combined(Reduction::product, 2.5, 0.25), 0.625);
  EXPECT_EQ(combined(Reduction::mean, 2.5, 0.5, 3), 1.0);
  EXPECT_EQ(combined(Reduction::min, 2.5F, -1.0F), -1.0F);
  EXPECT_EQ(combined(Reduction::product, 3.0F, -1.5F), -4.5F);
  EXPECT_EQ(combined<std::int32_t>(Reduction::max, -4, -7), -4);
  EXPECT_EQ(combined<std::int32_t>(Reduction::min, -4, -7), -7);
  EXPECT_EQ(combined<std::int64_t>(Reduction::product, 1LL << 40, 6), 6LL << 40);
  EXPECT_EQ(combined(Reduction::sum, to_half(1.5F), to_half(0.25F)), to_half(1.75F));
  EXPECT_EQ(combined(Reduction::product, to_bfloat16(1.5F), to_bfloat16(2.0F)), to_bfloat16(3.0F));
}

TEST(Combine, IntegersWrapAroundAndDivideTowardsZero) {
  constexpr auto kLast = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(combined<std::int32_t>(Reduction::sum, kLast, 1),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(combined<std::int32_t>(Reduction::mean, -4, -3, 2), -3);
  EXPECT_EQ(combined<std::int32_t>(Reduction::mean, 4, 3, 2), 3);
}

TEST(Combine, HalvesAreAddedAsFloatsAndRoundedOnce) {
  // 2051 is no half (its neighbours are 2050 and 2052): a third of it comes before the rounding.
  EXPECT_EQ(combined(Reduction::sum, to_half(2048.0F), to_half(1.0F)), to_half(2048.0F));
  EXPECT_EQ(combined(Reduction::mean, to_half(2050.0F), to_half(1.0F), 3), to_half(683.5F));
}

TEST(Combine, RefusesAnotherType) {
  std::vector<float> floats(2);
  std::vector<std::int32_t> integers(2);
  EXPECT_THROW(combine({}, floats, floats, integers), ContractError);
  EXPECT_THROW(combine({}, floats, integers, floats), ContractError);
  EXPECT_THROW(move_into(floats, integers, Store::cached), ContractError);
}

TEST(Combine, RefusesOtherSizes) {
  std::vector<float> two(2);
  std::vector<float> three(3);
  EXPECT_THROW(combine({Reduction::min}, two, three, two), ContractError);
  EXPECT_THROW(combine({Reduction::sum}, two, two, three), ContractError);
  EXPECT_THROW(move_into(two, three, Store::streamed), ContractError);
}

}  // namespace
}  // namespace starling::collective
