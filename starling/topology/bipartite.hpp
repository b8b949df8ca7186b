// The graph of AD-PSGD (arXiv:1710.06952): even ranks talk to odd ranks only.
#pragma once

#include "starling/topology/family.hpp"

namespace starling::topology {

/// A ring with chords: i is linked to i +- 1 and i +- (1 + 2^k) modulo n, k = 1 ..
/// floor(log2(n-1)), where the two ranks differ in parity. For even n every such offset is odd and
/// all degrees are equal; for odd n the edges that would join equal parities are left out. One side
/// may call and the other answer without a cycle of waiting peers.
Made make_bipartite(const Request& request);

}  // namespace starling::topology
