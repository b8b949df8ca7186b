#include "starling/collective/combine.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "starling/core/ensure.hpp"
#include "starling/core/range.hpp"
#include "starling/core/span_math.hpp"

namespace starling::collective {

namespace {

constexpr std::size_t kTileElements = 2048;  // two operands of 8 KiB stay in the first-level cache

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
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = choose(a[k], b[k]);
  }
}

void combine_cached(Reduction reduction,
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

#if defined(__SSE2__)

constexpr std::size_t kLineBytes = 64;
constexpr std::size_t kVector = 4;  // floats in a register
constexpr std::size_t kLine = kLineBytes / sizeof(float);

/// Elements before the first that begins a cache line: only whole lines are worth streaming.
std::size_t before_line(const float* out, std::size_t size) {
  const std::size_t past = reinterpret_cast<std::uintptr_t>(out) % kLineBytes;
  return std::min(size, past == 0 ? 0 : (kLineBytes - past) / sizeof(float));
}

/// out[k] <- value(k) for the elements of whole lines, four at a time; the index of the first one
/// left.
template <class Value>
std::size_t stream_lines(std::span<float> out, std::size_t begin, Value value) {
  std::size_t k = begin;
  for (; k + kLine <= out.size(); k += kLine) {
    for (std::size_t part = 0; part < kLine; part += kVector) {
      _mm_stream_ps(out.data() + k + part, value(k + part));
    }
  }
  _mm_sfence();  // streamed stores are ordered by nothing else; the reader is told right after this
  return k;
}

void sum_streamed(std::span<const float> a,
                  std::span<const float> b,
                  std::span<float> out,
                  float factor) {
  const std::size_t head = before_line(out.data(), out.size());
  const __m128 factors = _mm_set1_ps(factor);
  const std::size_t tail = stream_lines(out, head, [&](std::size_t k) {
    const __m128 total = _mm_add_ps(_mm_loadu_ps(a.data() + k), _mm_loadu_ps(b.data() + k));
    return _mm_mul_ps(total, factors);
  });
  for (const Range& rest : {Range{0, head}, Range{tail, out.size()}}) {
    sum(part(a, rest), part(b, rest), part(out, rest));
    scale(factor, part(out, rest));
  }
}

void copy_streamed(std::span<const float> in, std::span<float> out) {
  const std::size_t head = before_line(out.data(), out.size());
  const std::size_t tail =
      stream_lines(out, head, [&](std::size_t k) { return _mm_loadu_ps(in.data() + k); });
  for (const Range& rest : {Range{0, head}, Range{tail, out.size()}}) {
    copy(part(in, rest), part(out, rest));
  }
}

#else

void sum_streamed(std::span<const float> a,
                  std::span<const float> b,
                  std::span<float> out,
                  float factor) {
  sum(a, b, out);
  scale(factor, out);
}

void copy_streamed(std::span<const float> in, std::span<float> out) {
  copy(in, out);
}

#endif

}  // namespace

void combine(const Combination& how,
             std::span<const float> a,
             std::span<const float> b,
             std::span<float> out) {
  ensure(a.size() == b.size() && a.size() == out.size(),
         "combine: sizes differ",
         a.size(),
         b.size(),
         out.size());
  const bool adds = how.reduction == Reduction::sum || how.reduction == Reduction::mean;
  if (adds && how.store == Store::streamed) {
    sum_streamed(a, b, out, how.factor);
    return;
  }
  if (how.factor == 1.0F) {
    combine_cached(how.reduction, a, b, out);
    return;
  }
  for (std::size_t begin = 0; begin < out.size(); begin += kTileElements) {
    const Range tile{begin, std::min(begin + kTileElements, out.size())};
    combine_cached(how.reduction, part(a, tile), part(b, tile), part(out, tile));
    scale(how.factor, part(out, tile));
  }
}

void move_into(std::span<const float> in, std::span<float> out, Store store) {
  ensure(in.size() == out.size(), "move_into: sizes differ", in.size(), out.size());
  if (store == Store::streamed) {
    copy_streamed(in, out);
  } else {
    copy(in, out);
  }
}

}  // namespace starling::collective
