// The element-wise work of a reduction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "starling/collective/collectives.hpp"

namespace starling::collective {

/// How a result is written. Streamed goes past the caches: for results of many megabytes that
/// nobody reads soon, so that the memory need not be read before it is written. Same bits either
/// way.
enum class Store : std::uint8_t { cached, streamed };

/// Vectors from this length on do not stay in the caches until somebody reads them.
inline constexpr std::size_t kStreamedVectorBytes = std::size_t{4} << 20U;

/// How the result of an operation on so many elements is best written.
constexpr Store store_for_vector(std::size_t elements) {
  return elements * sizeof(float) >= kStreamedVectorBytes ? Store::streamed : Store::cached;
}

struct Combination {
  Reduction reduction = Reduction::sum;  ///< mean adds
  float factor = 1.0F;                   ///< of a mean: 1/n where the sum is complete, else 1
  Store store = Store::cached;           ///< minima and maxima are never streamed
};

/// out <- factor * (a + b), or factor * min(a, b), factor * max(a, b); out may be a or b. All are
/// symmetric to the bit, so that partners who combine in opposite order agree: -0 is less than +0,
/// and a minimum or maximum with NaN is one fixed NaN. @pre equal sizes
void combine(const Combination& how,
             std::span<const float> a,
             std::span<const float> b,
             std::span<float> out);

/// out <- in. @pre equal sizes, no overlap
void move_into(std::span<const float> in, std::span<float> out, Store store);

}  // namespace starling::collective
