// Binomial tree: the number of ranks that have the vector doubles every round; or, of a scatter,
// the number of ranks that have a run of parts.
#pragma once

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// With v = rank - root mod n: in round k every v < 2^k sends the vector to v + 2^k. ceil(log2 n)
/// rounds; a rank sends at most as many vectors.
Schedule binomial_broadcast(const Request& request);

/// The broadcast backwards, adding.
Schedule binomial_reduce(const Request& request);

/// With v as above, for k = L-1 .. 0: every v divisible by 2^(k+1) sends v + 2^k, if it exists, the
/// parts of the ranks v + 2^k .. v + 2^(k+1) - 1. L = ceil(log2 n) rounds; the root sends n-1
/// parts.
Schedule binomial_scatter(const Request& request);

/// The scatter backwards, copying.
Schedule binomial_gather(const Request& request);

}  // namespace starling::collective
