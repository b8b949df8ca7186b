#include "starling/objective/kernels.hpp"

#include <array>

#include "starling/core/ensure.hpp"

namespace starling::objective::kernels {

namespace {

constexpr std::size_t kLanes = 16;

float add_lanes(std::array<float, kLanes> lanes) {
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) {
      lanes[k] += lanes[k + half];
    }
  }
  return lanes[0];
}

}  // namespace

float dot(std::span<const float> a, std::span<const float> b) {
  ensure(a.size() == b.size(), "dot: sizes differ", a.size(), b.size());
  const float* left = a.data();
  const float* right = b.data();
  std::array<float, kLanes> lanes{};
  const std::size_t whole = a.size() / kLanes * kLanes;
  for (std::size_t k = 0; k < whole; k += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] += left[k + lane] * right[k + lane];
    }
  }
  for (std::size_t k = whole; k < a.size(); ++k) {
    lanes[k - whole] += left[k] * right[k];
  }
  return add_lanes(lanes);
}

void rows_times_rows(std::span<const float> x,
                     std::span<const float> w,
                     std::span<const float> bias,
                     std::size_t features,
                     std::span<float> out) {
  const std::size_t classes = w.size() / features;
  const std::size_t batch = x.size() / features;
  ensure(out.size() == batch * classes,
         "rows_times_rows: one output a sample and class",
         out.size(),
         batch,
         classes);
  ensure(bias.empty() || bias.size() == classes,
         "rows_times_rows: one bias a class",
         bias.size(),
         classes);
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t c = 0; c < classes; ++c) {
      const float shift = bias.empty() ? 0.0F : bias[c];
      out[b * classes + c] =
          dot(x.subspan(b * features, features), w.subspan(c * features, features)) + shift;
    }
  }
}

}  // namespace starling::objective::kernels
