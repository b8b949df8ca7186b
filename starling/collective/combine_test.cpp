#include "starling/collective/combine.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace starling::collective {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float one(Reduction reduction, float a, float b) {
  float out = 0.0F;
  combine(reduction, {&a, 1}, {&b, 1}, {&out, 1});
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

TEST(Combine, ScalesInTilesAsInOnePass) {
  constexpr std::size_t kElements = 5003;
  std::vector<float> a(kElements);
  std::vector<float> b(kElements);
  for (std::size_t k = 0; k < kElements; ++k) {
    a[k] = static_cast<float>(k) * 0.37F;
    b[k] = static_cast<float>(k) * -0.11F;
  }
  std::vector<float> out(kElements);
  combine_scaled(Reduction::mean, a, b, out, 1.0F / 3.0F);
  for (std::size_t k = 0; k < kElements; ++k) {
    EXPECT_EQ(out[k], (a[k] + b[k]) * (1.0F / 3.0F));
  }
}

TEST(Combine, RefusesOtherSizes) {
  std::vector<float> two(2);
  std::vector<float> three(3);
  EXPECT_THROW(combine(Reduction::min, two, three, two), ContractError);
  EXPECT_THROW(combine(Reduction::sum, two, two, three), ContractError);
}

}  // namespace
}  // namespace starling::collective
