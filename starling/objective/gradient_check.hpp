// For tests: is the gradient the derivative of the loss?
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "starling/objective/objective.hpp"

namespace starling::objective {

/// Holds every element of the gradient against a central difference of the returned loss.
///
/// The loss is f32 arithmetic of relative error e around 1e-6, so the difference has error e / h +
/// O(h^2): with h = 1/64 about 1e-4 of the loss's size for well-scaled problems; `tolerance` says
/// how much.
inline void expect_gradient_is_derivative(Objective& objective,
                                          const std::vector<float>& point,
                                          const Batch& batch,
                                          double tolerance) {
  constexpr float kStep = 1.0F / 64.0F;
  Random random(1);
  std::vector<float> gradient(point.size());
  std::vector<float> unused(point.size());
  objective.gradient(point, batch, random, gradient);
  for (std::size_t k = 0; k < point.size(); ++k) {
    std::vector<float> moved = point;
    moved[k] = point[k] + kStep;
    const double up = objective.gradient(moved, batch, random, unused);
    const double width_up = double{moved[k]} - double{point[k]};
    moved[k] = point[k] - kStep;
    const double down = objective.gradient(moved, batch, random, unused);
    const double width = width_up + double{point[k]} - double{moved[k]};
    EXPECT_NEAR(gradient[k], (up - down) / width, tolerance) << "element " << k;
  }
}

}  // namespace starling::objective
