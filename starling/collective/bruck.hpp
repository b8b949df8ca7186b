// Bruck's algorithms (Bruck et al., TPDS 1997, doi:10.1109/71.642949): ceil(log2 n) rounds over
// distances 1, 2, 4, .. for any n.
#pragma once

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// For d = 1, 2, 4, .. < n: rank r sends blocks r .. r+c-1 to r-d and receives blocks r+d ..
/// r+d+c-1 from r+d, with c = min(d, n-d). ceil(log2 n) rounds, n-1 blocks sent.
Schedule bruck_all_gather(const Request& request);

/// The all-gather backwards, adding.
Schedule bruck_reduce_scatter(const Request& request);

/// Reduce-scatter, then all-gather. 2 ceil(log2 n) rounds, 2(n-1) blocks sent.
Schedule bruck_all_reduce(const Request& request);

/// For d = 1, 2, 4, .. < n: a part whose way (from source upwards to destination) is w ranks long
/// takes d of them if w has that bit. ceil(log2 n) rounds; a rank sends about n/2 parts in each.
Schedule bruck_all_to_all(const Request& request);

}  // namespace starling::collective
