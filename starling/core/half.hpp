// Floats of 16 bits: storage only, arithmetic is done in float.
#pragma once

#include <bit>
#include <cstdint>

namespace starling {

/// IEEE 754 binary16: 5 bits of exponent, 10 of fraction.
struct Half {
  std::uint16_t bits = 0;

  friend constexpr bool operator==(const Half&, const Half&) = default;
};

/// The upper half of a float: 8 bits of exponent, 7 of fraction.
struct BFloat16 {
  std::uint16_t bits = 0;

  friend constexpr bool operator==(const BFloat16&, const BFloat16&) = default;
};

/// Exact.
constexpr float to_float(BFloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16U);
}

/// To nearest, ties to even; a NaN stays a quiet NaN.
constexpr BFloat16 to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U;
  const bool is_nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
  return {static_cast<std::uint16_t>(is_nan ? (bits >> 16U) | 0x40U : rounded)};
}

/// Exact, subnormal numbers included.
constexpr float to_float(Half value) {
  const std::uint32_t sign = (value.bits & 0x8000U) << 16U;
  const std::uint32_t magnitude = value.bits & 0x7FFFU;
  // Exponent and fraction moved to their place have an exponent 112 too small: a product puts it
  // right and makes subnormal numbers normal on the way.
  constexpr float kScale = 0x1p112F;
  const float scaled = std::bit_cast<float>(magnitude << 13U) * kScale;
  const std::uint32_t special = magnitude >= 0x7C00U ? 0x7F800000U : 0U;  // infinity or NaN
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

/// To nearest, ties to even; too large becomes infinity, a NaN stays a quiet NaN.
constexpr Half to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  constexpr std::uint32_t kInfinity = 0x7F800000U;
  constexpr std::uint32_t kTooLarge = 0x477FF000U;   // 65520: half way beyond the largest number
  constexpr std::uint32_t kSubnormal = 0x38800000U;  // 2^-14: the smallest normal number
  std::uint32_t half = 0;
  if (magnitude > kInfinity) {
    half = 0x7E00U;
  } else if (magnitude >= kTooLarge) {
    half = 0x7C00U;
  } else if (magnitude < kSubnormal) {
    // Added to 1/2, the last bit of the sum is worth 2^-24, that of a subnormal half: the addition
    // rounds.
    constexpr float kHalf = 0.5F;
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + kHalf) -
           std::bit_cast<std::uint32_t>(kHalf);
  } else {
    const std::uint32_t odd = (magnitude >> 13U) & 1U;
    half = (magnitude - 0x38000000U + 0xFFFU + odd) >> 13U;
  }
  return {static_cast<std::uint16_t>(half | sign)};
}

static_assert(to_float(Half{0x3C00}) == 1.0F && to_half(1.0F) == Half{0x3C00});
static_assert(to_float(Half{0x0001}) == 0x1p-24F && to_half(0x1p-24F) == Half{0x0001});
static_assert(to_float(BFloat16{0x3F80}) == 1.0F && to_bfloat16(1.0F) == BFloat16{0x3F80});

}  // namespace starling
