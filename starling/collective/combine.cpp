#include "starling/collective/combine.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "starling/core/ensure.hpp"
#include "starling/core/range.hpp"
#include "starling/core/span_math.hpp"

namespace starling::collective {

namespace {

constexpr std::size_t kTileElements = 2048;  // two operands of 8 KiB

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

// Equal numbers differ at most in the sign of zero: the sign bit survives "or" and is lost by
// "and".
float minimum(float a, float b) {
  if (a < b) {
    return a;
  }
  if (b < a) {
    return b;
  }
  return a == b ? std::bit_cast<float>(bits(a) | bits(b)) : std::numeric_limits<float>::quiet_NaN();
}

float maximum(float a, float b) {
  if (a > b) {
    return a;
  }
  if (b > a) {
    return b;
  }
  return a == b ? std::bit_cast<float>(bits(a) & bits(b)) : std::numeric_limits<float>::quiet_NaN();
}

template <class Choose>
void choose_each(std::span<const float> a,
                 std::span<const float> b,
                 std::span<float> out,
                 Choose choose) {
  ensure(a.size() == b.size() && a.size() == out.size(),
         "combine: sizes differ",
         a.size(),
         b.size(),
         out.size());
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = choose(a[k], b[k]);
  }
}

}  // namespace

void combine(Reduction reduction,
             std::span<const float> a,
             std::span<const float> b,
             std::span<float> out) {
  switch (reduction) {
    case Reduction::sum:
    case Reduction::mean:
      sum(a, b, out);
      return;
    case Reduction::min:
      choose_each(a, b, out, minimum);
      return;
    case Reduction::max:
      choose_each(a, b, out, maximum);
      return;
  }
}

void combine_scaled(Reduction reduction,
                    std::span<const float> a,
                    std::span<const float> b,
                    std::span<float> out,
                    float factor) {
  for (std::size_t begin = 0; begin < out.size(); begin += kTileElements) {
    const Range tile{begin, std::min(begin + kTileElements, out.size())};
    combine(reduction, part(a, tile), part(b, tile), part(out, tile));
    scale(factor, part(out, tile));
  }
}

}  // namespace starling::collective
