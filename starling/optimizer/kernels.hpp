// The loops over elements of the optimizers' own state. Element by element: no sums, so any width
// of register gives the same bits.
#pragma once

#include <span>

namespace starling::optimizer::kernels {

/// u <- mu u + g;  g <- u. @pre equal sizes
void heavy_ball(float momentum, std::span<float> velocity, std::span<float> gradient);

/// u <- mu u + g;  g <- g + mu u. @pre equal sizes
void nesterov(float momentum, std::span<float> velocity, std::span<float> gradient);

/// The numbers of one Adam step; corrections are 1 - beta^t.
struct AdamStep {
  float beta1 = 0.9F;
  float beta2 = 0.999F;
  float epsilon = 1e-8F;
  float correction1 = 1.0F;
  float correction2 = 1.0F;
};

/// m <- b1 m + (1-b1) g;  v <- b2 v + (1-b2) g^2;  g <- (m/c1) / (sqrt(v/c2) + eps). @pre equal
/// sizes
void adam(const AdamStep& step,
          std::span<float> first_moment,
          std::span<float> second_moment,
          std::span<float> gradient);

}  // namespace starling::optimizer::kernels
