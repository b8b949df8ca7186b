// Recursive doubling: partners at distance 1, 2, 4, .. exchange the whole vector. Fewest rounds,
// most bytes: for short vectors.
#pragma once

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// n = 2^L: L rounds, L vectors sent per rank. Other n: the first 2e ranks (e = n - 2^L) fold in
/// pairs before and unfold after, two more rounds.
Schedule recursive_doubling_all_reduce(const Request& request);

/// n = 2^L: partners at distance 1, 2, 4, .. exchange all blocks they have, which is a run. L
/// rounds, n-1 blocks sent. @pre n is a power of two
Schedule recursive_doubling_all_gather(const Request& request);

/// The all-gather backwards, adding (recursive halving). @pre n is a power of two
Schedule recursive_halving_reduce_scatter(const Request& request);

}  // namespace starling::collective
