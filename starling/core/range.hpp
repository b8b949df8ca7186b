// Half-open index ranges and the one way Starling cuts a vector into parts.
#pragma once

#include <cstddef>
#include <span>

#include "starling/core/ensure.hpp"

namespace starling {

/// [begin, end) of element indices.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] constexpr std::size_t size() const { return end - begin; }

  [[nodiscard]] constexpr bool empty() const { return begin == end; }

  friend constexpr bool operator==(const Range&, const Range&) = default;
};

/// Part `index` of [0, elements) cut into `parts` contiguous near-equal ranges: the first
/// `elements mod parts` have one element more; empty ones are legal.
/// @pre parts >= 1 and index < parts
constexpr Range chunk(std::size_t elements, std::size_t parts, std::size_t index) {
  const std::size_t each = elements / parts;
  const std::size_t longer = elements % parts;
  const std::size_t begin = index * each + (index < longer ? index : longer);
  return {begin, begin + each + (index < longer ? 1 : 0)};
}

static_assert(chunk(10, 4, 0) == Range{0, 3});
static_assert(chunk(10, 4, 3) == Range{8, 10});
static_assert(chunk(2, 4, 3) == Range{2, 2});

/// The elements of `values` that lie in `range`.
template <class T>
constexpr std::span<T> part(std::span<T> values, Range range) {
  return values.subspan(range.begin, range.size());
}

}  // namespace starling
