// The few loops over elements that every room needs. All are exact about order: element by element,
// no reassociation except where stated, so the same input gives the same bits in every world.
#pragma once

#include <cstddef>
#include <span>

namespace starling {

/// y <- x. @pre equal sizes, no overlap
void copy(std::span<const float> x, std::span<float> y);

/// y <- y + x. @pre equal sizes
void add(std::span<const float> x, std::span<float> y);

/// out <- a + b. @pre equal sizes; out may be a or b
void sum(std::span<const float> a, std::span<const float> b, std::span<float> out);

/// y <- y + scale * x. @pre equal sizes
void add_scaled(float scale, std::span<const float> x, std::span<float> y);

/// y <- a * y + b * x. @pre equal sizes
void blend(float a, std::span<float> y, float b, std::span<const float> x);

/// y <- y + share * (x - y): weights that sum to 1 whatever the rounding, so that what is equal
/// stays equal to the bit. @pre equal sizes
void approach(float share, std::span<const float> x, std::span<float> y);

/// out <- scale * x. @pre equal sizes; out may be x
void scaled_copy(float scale, std::span<const float> x, std::span<float> out);

/// y <- scale * y
void scale(float scale, std::span<float> y);

/// out <- (1/m) (models[0] + ... + models[m-1]); every element is summed in double in that order
/// and rounded once, so the mean of equal models is that model. @pre m >= 1, all sizes equal
/// out.size()
void mean(std::span<const std::span<const float>> models, std::span<float> out);

/// True if no element is NaN or infinite.
[[nodiscard]] bool is_finite(std::span<const float> values);

/// Index of the first element that is NaN or infinite; values.size() if none is.
[[nodiscard]] std::size_t first_not_finite(std::span<const float> values);

/// sum of (a_k - b_k)^2 in double, left to right. @pre equal sizes
[[nodiscard]] double squared_distance(std::span<const float> a, std::span<const float> b);

}  // namespace starling
