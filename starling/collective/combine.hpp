// The element-wise work of a reduction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "starling/collective/data_type.hpp"
#include "starling/collective/reduction.hpp"

namespace starling::collective {

/// How a result is written. Streamed goes past the caches: for results of many megabytes that
/// nobody reads soon, so that the memory need not be read before it is written. Same bits either
/// way.
enum class Store : std::uint8_t { cached, streamed };

/// Vectors from this length on do not stay in the caches until somebody reads them.
inline constexpr std::size_t kStreamedVectorBytes = std::size_t{4} << 20U;

/// How the result of an operation on so many bytes is best written.
constexpr Store store_for_vector(std::size_t bytes) {
  return bytes >= kStreamedVectorBytes ? Store::streamed : Store::cached;
}

struct Combination {
  Reduction reduction = Reduction::sum;  ///< mean adds
  std::size_t divisor = 1;               ///< of a mean: n where the sum is complete, else 1
  Store store = Store::cached;           ///< only sums and means of f32 are streamed
};

/// out <- a + b, a * b, min(a, b) or max(a, b), divided by the divisor (floats: times its
/// reciprocal); out may be a or b. All are symmetric to the bit, so that partners who combine in
/// opposite order agree: -0 is less than +0, and a minimum or maximum with NaN is one fixed NaN.
/// @pre equal sizes and types
void combine(const Combination& how, const ConstValues& a, const ConstValues& b, const Values& out);

/// out <- in. @pre equal sizes and types, no overlap
void move_into(const ConstValues& in, const Values& out, Store store);

}  // namespace starling::collective
