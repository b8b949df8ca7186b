// Numbers to base -2, in which the distances of Swing and of Bine trees are runs of digits.
#pragma once

#include <cstdint>

namespace starling::collective {

/// Digit i in bit i. Modulo 2^L the lowest L digits are right whatever representative is taken.
constexpr std::uint64_t negabinary(std::uint64_t value) {
  constexpr std::uint64_t kOddDigits = 0xAAAAAAAAAAAAAAAAULL;
  return (value + kOddDigits) ^ kOddDigits;
}

/// The number with these digits, modulo 2^64.
constexpr std::uint64_t from_negabinary(std::uint64_t digits) {
  constexpr std::uint64_t kOddDigits = 0xAAAAAAAAAAAAAAAAULL;
  return (digits ^ kOddDigits) - kOddDigits;
}

static_assert(negabinary(6) == 0b11010);  // 16 - 8 - 2
static_assert(from_negabinary(0b111) == 3);

}  // namespace starling::collective
