// Parameters of a fresh network.
#pragma once

#include <span>

#include "starling/core/layout.hpp"
#include "starling/core/random.hpp"

namespace starling::model {

/// Weights uniform in [-b, b) with b = g sqrt(3 / fan_in), g = sqrt(2) where a ReLU follows and 1
/// at the outputs, so that every layer keeps the variance of what it is given (He et al.,
/// arXiv:1502.01852, eq. 10); biases 0. Drawn in the order of the layout from `random` alone, so
/// the same stream gives the same bits on every machine.
/// @pre the tensors of `layout` are pairs of weight and bias, the outputs' last
void initialise(const Layout& layout, std::span<float> parameters, Random& random);

}  // namespace starling::model
