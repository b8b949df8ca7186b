// Halving and doubling (Rabenseifner, ICCS 2004): a reduce-scatter by halving windows, then the
// all-gather backwards. Few rounds and the least bytes for n = 2^L.
#pragma once

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// n = 2^L: 2L rounds, 2(n-1)/n of the vector sent per rank. Other n: pairs among the first 2e
/// ranks (e = n - 2^L) exchange halves first and hand the result on last, three more rounds.
Schedule halving_doubling_all_reduce(const Request& request);

}  // namespace starling::collective
