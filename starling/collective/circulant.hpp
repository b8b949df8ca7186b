// Circulant: ceil(log2 n) rounds and the least bytes for any n (reduce-scatter of Traeff,
// arXiv:2410.14234; the all-gather is its reversal). A message is a cyclic run of blocks.
#pragma once

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// With s' = ceil(s/2) going back up from 1 to n: rank r sends blocks r .. r+s-s'-1 to r-s' and
/// receives blocks r+s' .. r+s-1 from r+s'. ceil(log2 n) rounds, n-1 blocks sent.
Schedule circulant_all_gather(const Request& request);

/// s from n down to 1: rank r sends blocks r+s' .. r+s-1 to r+s' and adds blocks r .. r+s-s'-1 from
/// r-s'; it ends with block r. ceil(log2 n) rounds, n-1 blocks sent.
Schedule circulant_reduce_scatter(const Request& request);

/// Reduce-scatter, then all-gather. 2 ceil(log2 n) rounds.
Schedule circulant_all_reduce(const Request& request);

}  // namespace starling::collective
