#include "starling/core/half.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace starling {
namespace {

TEST(Half, EveryNumberSurvivesTheWayToFloatAndBack) {
  for (std::uint32_t bits = 0; bits <= 0xFFFFU; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    const float value = to_float(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(to_float(to_half(value)))) << bits;
      continue;
    }
    EXPECT_EQ(to_half(value), half) << bits;
  }
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  for (std::uint32_t bits = 0; bits < 0x7BFFU; ++bits) {  // pairs of neighbours
    const Half lower{static_cast<std::uint16_t>(bits)};
    const Half upper{static_cast<std::uint16_t>(bits + 1)};
    const float middle = (to_float(lower) + to_float(upper)) / 2.0F;  // exact in float
    EXPECT_EQ(to_half(middle), bits % 2 == 0 ? lower : upper) << bits;
    EXPECT_EQ(to_half(std::nextafter(middle, 0.0F)), lower) << bits;
    EXPECT_EQ(to_half(std::nextafter(middle, 1e30F)), upper) << bits;
    EXPECT_EQ(to_half(-middle).bits, to_half(middle).bits | 0x8000U) << bits;
  }
}

TEST(Half, WhatIsTooLargeBecomesInfinity) {
  EXPECT_EQ(to_half(65504.0F), (Half{0x7BFF}));
  EXPECT_EQ(to_half(65519.996F), (Half{0x7BFF}));
  EXPECT_EQ(to_half(65520.0F), (Half{0x7C00}));
  EXPECT_EQ(to_half(-std::numeric_limits<float>::infinity()), (Half{0xFC00}));
}

TEST(BFloat16, EveryNumberSurvivesTheWayToFloatAndBack) {
  for (std::uint32_t bits = 0; bits <= 0xFFFFU; ++bits) {
    const BFloat16 narrow{static_cast<std::uint16_t>(bits)};
    const float value = to_float(narrow);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(to_float(to_bfloat16(value)))) << bits;
      continue;
    }
    EXPECT_EQ(to_bfloat16(value), narrow) << bits;
  }
}

TEST(BFloat16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(to_bfloat16(1.0F + 0x1p-8F), (BFloat16{0x3F80}));            // tie, even below
  EXPECT_EQ(to_bfloat16(1.0F + 0x1p-7F + 0x1p-8F), (BFloat16{0x3F82}));  // tie, even above
  EXPECT_EQ(to_bfloat16(1.0F + 0x1p-8F + 0x1p-20F), (BFloat16{0x3F81}));
}

}  // namespace
}  // namespace starling
