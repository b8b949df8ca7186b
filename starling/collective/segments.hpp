// Pipelines: a vector goes through a tree in segments, so that all its edges are busy at once.
#pragma once

#include <algorithm>
#include <cstddef>

namespace starling::collective {

/// How many segments of at most `segment` elements make up `elements`; one if segment is 0.
constexpr std::size_t segments_of(std::size_t elements, std::size_t segment) {
  return segment == 0 ? 1 : std::max<std::size_t>(1, (elements + segment - 1) / segment);
}

/// The round in which something happens to segment s, for all s: first + s * step.
struct Beat {
  std::size_t first = 0;
  std::size_t step = 1;

  /// Calls visit(segment) if it happens in `round`.
  template <class Visit>
  void at(std::size_t round, std::size_t segments, Visit visit) const {
    if (round < first || (round - first) % step != 0 || (round - first) / step >= segments) {
      return;
    }
    visit((round - first) / step);
  }
};

}  // namespace starling::collective
