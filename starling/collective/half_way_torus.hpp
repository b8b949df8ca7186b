// Half-way torus: the sums for a rank come to it from both sides of every ring, in half the rounds;
// one color for every axis to start from.
//
// Rounds: sum of floor(d_j/2) in a reduce-scatter or all-gather, one more where blocks must be
// reordered; twice the sum in an all-reduce. Bytes sent per rank as in torus.hpp. Where d_j is even
// one link of the ring carries d_j/(d_j - 1) of its even share and the other one less.
#pragma once

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// Reduce-scatter, all-gather and all-reduce. Regions by request.weights; colors are not asked for.
Schedule half_way_torus(const Request& request);

}  // namespace starling::collective
