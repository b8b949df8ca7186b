// Fixed graphs drawn once from the seed: every peer draws the same one.
#pragma once

#include "starling/topology/family.hpp"

namespace starling::topology {

/// random-regular:K: a connected simple graph in which everybody has K neighbours; K = min(4, n-1)
/// if not given. K = 2 is a uniformly random cycle; for K >= 3 a circulant graph is stirred by
/// random exchanges of edge ends, which keep every degree.
Made make_random_regular(const Request& request);

/// erdos-renyi:P: every edge with probability P, drawn again until connected;
/// P = 1.5 ceil(log2 n)/n, about twice the threshold of connectivity, if not given.
Made make_erdos_renyi(const Request& request);

}  // namespace starling::topology
