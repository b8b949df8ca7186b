#include "starling/optimizer/kernels.hpp"

#include <cmath>
#include <cstddef>

#include "starling/core/ensure.hpp"

namespace starling::optimizer::kernels {

void heavy_ball(float momentum, std::span<float> velocity, std::span<float> gradient) {
  ensure(velocity.size() == gradient.size(),
         "heavy_ball: sizes differ",
         velocity.size(),
         gradient.size());
  float* u = velocity.data();
  float* g = gradient.data();
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    u[k] = momentum * u[k] + g[k];
    g[k] = u[k];
  }
}

void nesterov(float momentum, std::span<float> velocity, std::span<float> gradient) {
  ensure(velocity.size() == gradient.size(),
         "nesterov: sizes differ",
         velocity.size(),
         gradient.size());
  float* u = velocity.data();
  float* g = gradient.data();
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    u[k] = momentum * u[k] + g[k];
    g[k] = g[k] + momentum * u[k];
  }
}

void adam(const AdamStep& step,
          std::span<float> first_moment,
          std::span<float> second_moment,
          std::span<float> gradient) {
  ensure(first_moment.size() == gradient.size() && second_moment.size() == gradient.size(),
         "adam: sizes differ",
         first_moment.size(),
         second_moment.size(),
         gradient.size());
  const AdamStep s = step;  // a copy, so that the compiler need not read it again for each element
  float* m = first_moment.data();
  float* v = second_moment.data();
  float* g = gradient.data();
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    m[k] = s.beta1 * m[k] + (1.0F - s.beta1) * g[k];
    v[k] = s.beta2 * v[k] + (1.0F - s.beta2) * g[k] * g[k];
    g[k] = (m[k] / s.correction1) / (std::sqrt(v[k] / s.correction2) + s.epsilon);
  }
}

}  // namespace starling::optimizer::kernels
