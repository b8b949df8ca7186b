// Null-cascade graphs (Niwa et al. 2025): exact averages for any n from commuting rounds of at most
// two neighbours.
#pragma once

#include "starling/topology/family.hpp"

namespace starling::topology {

/// "null-cascade", k = 2. Every round is a circulant that takes one pair of frequencies to zero.
/// The primes of n, largest first; b the product of those done. A prime f <= 3: one round with
/// weights 1/f at offsets j n/(f b), j = 0 .. f-1. A prime f > 3: (f-1)/2 rounds t = 1 .. (f-1)/2
/// with the least m' >= 1 for which f/4 < (m' t mod f) < 3f/4, theta = 2 pi (m' t mod f)/f, and
/// weights (1, -2 cos theta, 1)/(2 - 2 cos theta) at offsets -m, 0, m, m = m' n/(f b). Exact after
/// a cycle, in whatever order its rounds come.
///
/// Differs: the paper looks for the offsets greedily; this rule gives the same lengths.
Made make_null_cascade(const Request& request);

}  // namespace starling::topology
