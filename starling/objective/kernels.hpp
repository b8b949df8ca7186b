// The two products of a linear model, written so that wide registers can be used and still give the
// same bits: the order of every sum is fixed here, not by the compiler.
#pragma once

#include <cstddef>
#include <span>

namespace starling::objective::kernels {

/// sum_k a_k b_k in 16 interleaved partial sums, which are added pairwise at the end. @pre equal
/// sizes
[[nodiscard]] float dot(std::span<const float> a, std::span<const float> b);

/// Rows of x times rows of w: out[b * classes + c] = dot(x_b, w_c) + bias_c; an empty bias counts
/// as 0.
/// @pre x.size() = batch * features, w.size() = classes * features
void rows_times_rows(std::span<const float> x,
                     std::span<const float> w,
                     std::span<const float> bias,
                     std::size_t features,
                     std::span<float> out);

}  // namespace starling::objective::kernels
