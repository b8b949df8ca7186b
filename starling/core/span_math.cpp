#include "starling/core/span_math.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "starling/core/ensure.hpp"
#include "starling/core/wide.hpp"

namespace starling {

namespace {

// Nothing here reassociates a sum.

STARLING_WIDE void add_kernel(const float* x, float* y, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) {
    y[k] += x[k];
  }
}

STARLING_WIDE void sum_kernel(const float* a, const float* b, float* out, std::size_t size) {
  STARLING_NO_ALIAS
  for (std::size_t k = 0; k < size; ++k) {
    out[k] = a[k] + b[k];
  }
}

STARLING_WIDE void add_scaled_kernel(float factor, const float* x, float* y, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) {
    y[k] += factor * x[k];
  }
}

STARLING_WIDE void scale_kernel(float factor, float* y, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) {
    y[k] *= factor;
  }
}

STARLING_WIDE void blend_kernel(float a, float* y, float b, const float* x, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) {
    y[k] = a * y[k] + b * x[k];
  }
}

STARLING_WIDE void approach_kernel(float share, const float* x, float* y, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) {
    y[k] += share * (x[k] - y[k]);
  }
}

STARLING_WIDE void scaled_copy_kernel(float factor, const float* x, float* out, std::size_t size) {
  STARLING_NO_ALIAS
  for (std::size_t k = 0; k < size; ++k) {
    out[k] = factor * x[k];
  }
}

STARLING_WIDE void widen_and_add_kernel(const float* x, double* sums, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) {
    sums[k] += static_cast<double>(x[k]);
  }
}

// A float is NaN or infinite when all its exponent bits are set.
constexpr std::uint32_t kExponentBits = 0x7F800000U;

STARLING_WIDE bool finite_kernel(const float* values, std::size_t size) {
  std::uint32_t bad = 0;
  for (std::size_t k = 0; k < size; ++k) {
    const std::uint32_t exponent = std::bit_cast<std::uint32_t>(values[k]) & kExponentBits;
    bad |= static_cast<std::uint32_t>(exponent == kExponentBits);
  }
  return bad == 0;
}

}  // namespace

void copy(std::span<const float> x, std::span<float> y) {
  ensure(x.size() == y.size(), "copy: sizes differ", x.size(), y.size());
  if (!x.empty()) {
    std::memcpy(y.data(), x.data(), x.size_bytes());
  }
}

void add(std::span<const float> x, std::span<float> y) {
  ensure(x.size() == y.size(), "add: sizes differ", x.size(), y.size());
  add_kernel(x.data(), y.data(), x.size());
}

void sum(std::span<const float> a, std::span<const float> b, std::span<float> out) {
  ensure(a.size() == b.size() && a.size() == out.size(),
         "sum: sizes differ",
         a.size(),
         b.size(),
         out.size());
  sum_kernel(a.data(), b.data(), out.data(), a.size());
}

void add_scaled(float factor, std::span<const float> x, std::span<float> y) {
  ensure(x.size() == y.size(), "add_scaled: sizes differ", x.size(), y.size());
  add_scaled_kernel(factor, x.data(), y.data(), x.size());
}

void blend(float a, std::span<float> y, float b, std::span<const float> x) {
  ensure(x.size() == y.size(), "blend: sizes differ", x.size(), y.size());
  blend_kernel(a, y.data(), b, x.data(), x.size());
}

void approach(float share, std::span<const float> x, std::span<float> y) {
  ensure(x.size() == y.size(), "approach: sizes differ", x.size(), y.size());
  approach_kernel(share, x.data(), y.data(), x.size());
}

void scaled_copy(float factor, std::span<const float> x, std::span<float> out) {
  ensure(x.size() == out.size(), "scaled_copy: sizes differ", x.size(), out.size());
  scaled_copy_kernel(factor, x.data(), out.data(), x.size());
}

void scale(float factor, std::span<float> y) {
  scale_kernel(factor, y.data(), y.size());
}

void mean(std::span<const std::span<const float>> models, std::span<float> out) {
  ensure(!models.empty(), "mean: of no models");
  for (const auto model : models) {
    ensure(model.size() == out.size(), "mean: sizes differ", model.size(), out.size());
  }
  const auto count = static_cast<double>(models.size());
  std::array<double, 1024> sums{};  // a block of sums stays in the cache while the models pass by
  for (std::size_t begin = 0; begin < out.size(); begin += sums.size()) {
    const std::size_t size = std::min(sums.size(), out.size() - begin);
    sums.fill(0.0);
    for (const auto model : models) {
      widen_and_add_kernel(model.data() + begin, sums.data(), size);
    }
    for (std::size_t k = 0; k < size; ++k) {
      out[begin + k] = static_cast<float>(sums[k] / count);
    }
  }
}

bool is_finite(std::span<const float> values) {
  return finite_kernel(values.data(), values.size());
}

std::size_t first_not_finite(std::span<const float> values) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!is_finite(values.subspan(k, 1))) {
      return k;
    }
  }
  return values.size();
}

double squared_distance(std::span<const float> a, std::span<const float> b) {
  ensure(a.size() == b.size(), "squared_distance: sizes differ", a.size(), b.size());
  double total = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double difference = double{a[k]} - double{b[k]};
    total += difference * difference;
  }
  return total;
}

}  // namespace starling
