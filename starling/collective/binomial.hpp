// Binomial tree: the number of ranks that have the vector doubles every round.
#pragma once

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// With v = rank - root mod n: in round k every v < 2^k sends the vector to v + 2^k. ceil(log2 n)
/// rounds; a rank sends at most as many vectors.
Schedule binomial_broadcast(const Request& request);

/// The broadcast backwards, adding.
Schedule binomial_reduce(const Request& request);

}  // namespace starling::collective
