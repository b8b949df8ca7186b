// Torus: a bucket algorithm for every color, all at once, each on its own region of the vector
// (Sack and Gropp, "Collective Algorithms for Multiported Torus Networks", doi:10.1145/2686882).
//
// p = d_0 * .. * d_(D-1) ranks, row-major, S = sum of (d_j - 1). Rounds: S in a reduce-scatter,
// all-gather, scatter or gather, one more where blocks must be reordered; 2 S in an all-reduce,
// reduce or broadcast. Bytes sent per rank of a vector of m: (p-1)/p m in a reduce-scatter or
// all-gather, at most m/p more for the reordering; 2 (p-1)/p m in an all-reduce. With 2D colors and
// equal axes every link carries (p-1)/p m / (2D) of a half.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// One color and thus one port at a time: axis after axis, sub-block r is part r, nothing is
/// reordered (Barnett et al.). All operations but barrier and all-to-all.
Schedule bucket_torus(const Request& request);

/// request.colors colors, 0 for two an axis; regions by request.weights. The same operations.
/// @pre !multiported_torus_objection(request)
Schedule multiported_torus(const Request& request);

/// More colors than two for every axis longer than 1; solved weights for fewer than that.
std::optional<std::string> multiported_torus_objection(const Request& request);

/// The axes of a request that are longer than 1. No extents at all: one axis.
std::vector<std::size_t> torus_axes(const Request& request);

}  // namespace starling::collective
