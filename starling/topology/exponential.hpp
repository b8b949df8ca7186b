// Exponential graphs (Ying et al. 2021, arXiv:2110.13363): offsets 1, 2, 4, ... below n. With
// tau = ceil(log2 n) offsets a message has crossed the whole group after tau rounds.
#pragma once

#include "starling/topology/family.hpp"

namespace starling::topology {

/// All tau offsets in every round: weight 1/(tau + 1) each.
/// ||W - J|| = 1 - 2/(tau + 1) for even n, less for odd n.
Made make_static_exponential(const Request& request);

/// One offset a round: in round t send to i + 2^s and receive from i - 2^s, s = t mod tau, weight
/// 1/2. Exact after any tau consecutive rounds if n = 2^tau, for other n only in the limit.
Made make_one_peer_exponential(const Request& request);

}  // namespace starling::topology
