// k-peer exponential graphs (Niwa et al. 2025): the one-peer exponential graph in base k + 1.
#pragma once

#include "starling/topology/family.hpp"

namespace starling::topology {

/// "k-peer-exponential:K". With tau = floor(log_{k+1} n), in round l = t mod tau everybody receives
/// weight 1/(k+1) from each i - j (k+1)^l, j = 1 .. k, and keeps as much; for n <= k, k = n - 1.
/// One cycle is exact if and only if n = (k+1)^tau; else it leaves
/// max_i |sin(pi i (k+1)^tau / n) / ((k+1)^tau sin(pi i / n))|. Without K: k = 2.
///
/// tau rounds a cycle, where the one-peer exponential graph takes ceil(log2 n): the two families
/// meet for k = 1 and n a power of two only.
Made make_k_peer_exponential(const Request& request);

}  // namespace starling::topology
