// Ring: every block travels once round the ring. 2(n-1) messages and 2(n-1)/n of the vector sent
// per rank in an all-reduce, the least possible; every message goes to the next neighbour.
#pragma once

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// In round t rank r sends block r-t to r+1 and receives block r-t-1 from r-1. n-1 rounds.
Schedule ring_all_gather(const Request& request);

/// In round t rank r sends block r-t-1 to r+1 and adds block r-t-2 from r-1; it ends with block r.
/// n-1 rounds.
Schedule ring_reduce_scatter(const Request& request);

/// Reduce-scatter, then all-gather. 2(n-1) rounds.
Schedule ring_all_reduce(const Request& request);

}  // namespace starling::collective
