// EquiTopo (Song et al. 2022, arXiv:2210.07881): mixing at a rate that does not depend on n, from
// the basis A(u) = (1/n) I + (1-1/n) P_u, P_u shifting by u in 1 .. n-1.
#pragma once

#include <cstddef>
#include <vector>

#include "starling/topology/family.hpp"

namespace starling::topology {

/// "d-equistatic:M=COUNT". W = mean of A(u_1) .. A(u_M), the shifts drawn from the seed with
/// replacement: receive from i - u_j, send to i + u_j. M = floor(8 ln(2n/p) / (3 eps^2)) gives
/// ||W - J|| < eps with probability 1 - p; without M: floor(log2 n).
///
/// Differs: shifts that would leave the group in parts (a divisor common to all of them and n) are
/// drawn again, in all four forms.
Made make_d_equistatic(const Request& request);

/// "u-equistatic:M=COUNT". W = mean of (A(u_j) + A(u_j)^T)/2: symmetric, both ways at once.
Made make_u_equistatic(const Request& request);

/// "od-equidyn:M=COUNT:eta=X". In every round one u is drawn, W = (1-eta) I + eta A(u): send to
/// i + u, receive from i - u with weight eta (1-1/n). u comes from a list of M shifts drawn from
/// the seed, the one of d-equistatic; without M from all of 1 .. n-1. Without eta: n/(2(n-1)),
/// which makes the weight 1/2, the best.
Made make_od_equidyn(const Request& request);

/// "ou-equidyn:M=COUNT:eta=X". In every round u, as in od-equidyn, and a start s are drawn, and
/// W = (1-eta) I + eta ((1/n) I + (1-1/n) M_t) with the matching of greedy_matching(): one partner,
/// the same both ways; who has none idles.
Made make_ou_equidyn(const Request& request);

/// Scans i = start, start + 1, .. modulo n and matches i with i + shift if both are still free.
/// @return everybody's partner; oneself if there is none
/// @pre 1 <= shift < peers, start < peers
std::vector<std::size_t> greedy_matching(std::size_t peers, std::size_t shift, std::size_t start);

}  // namespace starling::topology
