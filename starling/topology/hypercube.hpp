// Hypercubes: ranks that differ in one binary digit are linked. They exist for n = 2^q.
#pragma once

#include "starling/topology/family.hpp"

namespace starling::topology {

/// All q edges in every round: weight 1/(q + 1) each.
Made make_hypercube(const Request& request);

/// One edge a round: partner i XOR 2^s, s = t mod q, weight 1/2. Exact after any q consecutive
/// rounds.
Made make_one_peer_hypercube(const Request& request);

}  // namespace starling::topology
