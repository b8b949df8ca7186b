// The element-wise work of a reduction.
#pragma once

#include <span>

#include "starling/collective/collectives.hpp"

namespace starling::collective {

/// out <- a (+, min, max) b; out may be a or b. All are symmetric to the bit, so that partners who
/// combine in opposite order agree: -0 is less than +0, and a minimum or maximum with NaN is one
/// fixed NaN. A mean adds here and is scaled where the sum is complete. @pre equal sizes
void combine(Reduction reduction,
             std::span<const float> a,
             std::span<const float> b,
             std::span<float> out);

/// As above, then out <- factor * out, in pieces that stay in the first-level cache.
void combine_scaled(Reduction reduction,
                    std::span<const float> a,
                    std::span<const float> b,
                    std::span<float> out,
                    float factor);

}  // namespace starling::collective
