#include "starling/collective/combine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "starling/core/ensure.hpp"
#include "starling/core/range.hpp"
#include "starling/core/span_math.hpp"

namespace starling::collective {

namespace {

// Arithmetic on one element: half-width floats compute as float, integers wrap around.

template <class T>
struct Arithmetic {
  using Wide = T;
};

template <>
struct Arithmetic<Half> {
  using Wide = float;
};

template <>
struct Arithmetic<BFloat16> {
  using Wide = float;
};

template <class T>
using Wide = typename Arithmetic<T>::Wide;

template <class T>
Wide<T> widened(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return to_float(value);
  } else {
    return value;
  }
}

template <class T>
T narrowed(Wide<T> value) {
  if constexpr (std::is_same_v<T, Half>) {
    return to_half(value);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return to_bfloat16(value);
  } else {
    return value;
  }
}

/// Op on the unsigned type of the same width, where overflow is defined.
template <class T, class Op>
T wrapping(T a, T b, Op op) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(op(static_cast<Unsigned>(a), static_cast<Unsigned>(b)));
  } else {
    return op(a, b);
  }
}

// Equal numbers differ at most in the sign of zero.
template <class T>
T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!(a <= b || b <= a)) {
      return std::numeric_limits<T>::quiet_NaN();
    }
    if (a == b) {
      return std::signbit(a) ? a : b;
    }
  }
  return a < b ? a : b;
}

template <class T>
T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!(a <= b || b <= a)) {
      return std::numeric_limits<T>::quiet_NaN();
    }
    if (a == b) {
      return std::signbit(a) ? b : a;
    }
  }
  return a < b ? b : a;
}

template <class T>
T divided(T value, std::size_t divisor) {
  if constexpr (std::is_integral_v<T>) {
    return value / static_cast<T>(divisor);
  } else {
    return value * (T{1} / static_cast<T>(divisor));
  }
}

/// Memory of elements seen as such. @pre it is aligned for them
template <class T>
std::span<const T> as_elements(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

template <class T>
std::span<T> as_elements(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

template <class T, class Op>
void each(std::span<const T> a, std::span<const T> b, std::span<T> out, Op op) {
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = narrowed<T>(op(widened(a[k]), widened(b[k])));
  }
}

/// Sums and products of a mean's last step are divided before they are rounded to the element.
template <class T>
void combine_elements(Reduction reduction,
                      std::size_t divisor,
                      std::span<const T> a,
                      std::span<const T> b,
                      std::span<T> out) {
  using W = Wide<T>;
  const auto plus = [](auto x, auto y) { return x + y; };
  const auto times = [](auto x, auto y) { return x * y; };
  switch (reduction) {
    case Reduction::sum:
    case Reduction::mean:
      if (divisor == 1) {
        each(a, b, out, [&](W x, W y) { return wrapping(x, y, plus); });
      } else {
        each(a, b, out, [&](W x, W y) { return divided(wrapping(x, y, plus), divisor); });
      }
      return;
    case Reduction::product:
      each(a, b, out, [&](W x, W y) { return wrapping(x, y, times); });
      return;
    case Reduction::min:
      each(a, b, out, minimum<W>);
      return;
    case Reduction::max:
      each(a, b, out, maximum<W>);
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

constexpr std::size_t kTileElements = 2048;  // two operands of 8 KiB stay in the first-level cache

void add_floats(const Combination& how,
                std::span<const float> a,
                std::span<const float> b,
                std::span<float> out) {
  const float factor = 1.0F / static_cast<float>(how.divisor);
  if (how.store == Store::streamed) {
    sum_streamed(a, b, out, factor);
    return;
  }
  if (how.divisor == 1) {
    sum(a, b, out);
    return;
  }
  for (std::size_t begin = 0; begin < out.size(); begin += kTileElements) {
    const Range tile{begin, std::min(begin + kTileElements, out.size())};
    sum(part(a, tile), part(b, tile), part(out, tile));
    scale(factor, part(out, tile));
  }
}

}  // namespace

void combine(const Combination& how,
             const ConstValues& a,
             const ConstValues& b,
             const Values& out) {
  ensure(a.bytes().size() == b.bytes().size() && a.bytes().size() == out.bytes().size() &&
             a.type() == out.type() && b.type() == out.type(),
         "combine: sizes or types differ",
         a.size(),
         b.size(),
         out.size());
  const bool adds = how.reduction == Reduction::sum || how.reduction == Reduction::mean;
  if (adds && out.type() == DataType::f32) {
    add_floats(how,
               as_elements<float>(a.bytes()),
               as_elements<float>(b.bytes()),
               as_elements<float>(out.bytes()));
    return;
  }
  with_type(out.type(), [&](auto element) {
    using T = decltype(element);
    combine_elements<T>(how.reduction,
                        how.divisor,
                        as_elements<T>(a.bytes()),
                        as_elements<T>(b.bytes()),
                        as_elements<T>(out.bytes()));
  });
}

void move_into(const ConstValues& in, const Values& out, Store store) {
  const std::size_t bytes = in.bytes().size();
  ensure(bytes == out.bytes().size() && in.type() == out.type(),
         "move_into: sizes or types differ",
         in.size(),
         out.size());
  if (bytes == 0) {
    return;
  }
  const auto holds_floats = [](const std::byte* memory) {
    return reinterpret_cast<std::uintptr_t>(memory) % sizeof(float) == 0;
  };
  if (store == Store::streamed && bytes % sizeof(float) == 0 && holds_floats(in.bytes().data()) &&
      holds_floats(out.bytes().data())) {
    copy_streamed(as_elements<float>(in.bytes()), as_elements<float>(out.bytes()));
  } else {
    std::memcpy(out.bytes().data(), in.bytes().data(), bytes);
  }
}

}  // namespace starling::collective
