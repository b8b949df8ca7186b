// The graphs everybody knows: full, ring, star, path.
#pragma once

#include "starling/topology/family.hpp"

namespace starling::topology {

/// Everybody with everybody: w_ij = 1/n, the exact mean in one round.
Made make_full(const Request& request);

/// i with i - 1 and i + 1: weight 1/3 each; two peers share one edge, weight 1/2.
Made make_ring(const Request& request);

/// Rank 0 with everybody else.
Made make_star(const Request& request);

/// A ring without the edge between the last rank and rank 0.
Made make_path(const Request& request);

}  // namespace starling::topology
