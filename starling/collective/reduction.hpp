// How the members' elements become one.
#pragma once

#include <cstdint>

namespace starling::collective {

/// Integers: sums and products wrap around, a mean is the sum divided towards zero.
enum class Reduction : std::uint8_t { sum, mean, min, max, product };

inline constexpr int kReductions = 5;

const char* to_string(Reduction reduction) noexcept;

}  // namespace starling::collective
