// Exponential graphs (Ying et al. 2021, arXiv:2110.13363): offsets 1, 2, 4, ... below n. With
// tau = ceil(log2 n) offsets a message has crossed the whole group after tau rounds.
#pragma once

#include "starling/topology/family.hpp"

namespace starling::topology {

/// All tau offsets in every round: weight 1/(tau + 1) each.
/// ||W - J|| = 1 - 2/(tau + 1) for even n, less for odd n.
Made make_static_exponential(const Request& request);

/// "exponential:ORDER". One offset 2^s a round: send to i + 2^s and receive from i - 2^s, weight
/// 1/2. The order of the offsets is `cyclic` (s = t mod tau; if none is given), `permutation` (each
/// once in every cycle of tau rounds, in an order drawn for the cycle) or `uniform` (drawn for each
/// round). If n = 2^tau, every round in which each offset has come once is exact: any tau
/// consecutive rounds of `cyclic`, every cycle of `permutation`, by luck only `uniform`. For other
/// n none is exact but in the limit.
Made make_one_peer_exponential(const Request& request);

}  // namespace starling::topology
