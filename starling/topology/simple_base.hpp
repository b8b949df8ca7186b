// Simple Base-(k+1) graphs: exact averages in a few rounds for any n (Takezawa et al. 2023,
// arXiv:2305.11420, Alg. 2).
#pragma once

#include <cstddef>
#include <vector>

#include "starling/topology/family.hpp"
#include "starling/topology/hyper_hypercube.hpp"

namespace starling::topology {

/// "simple-base:K": at most K neighbours in a round, so K = 1 (if none is given) is the Simple
/// Base-2 graph. The rounds of simple_base_rounds(), over and over; exact after every cycle.
Made make_simple_base(const Request& request);

/// The rounds over `ranks` with degree k, each as the entries of a symmetric, doubly stochastic
/// matrix off its diagonal; their product is J over the ranks. A hyper-hypercube where there is
/// one. Else n = s_1 + .. + s_L, s_l = a_l (k+1)^{p_l}, cuts the ranks into blocks and those into
/// a_l groups of (k+1)^{p_l}: first all blocks average each for itself, then block 1, 2, .. in turn
/// gives its mean to the later blocks, each rank of which takes one member of every group, then the
/// groups average each for itself. 2 p_1 + 1 + [a_1 > 1] <= 2 log_{k+1} n + 2 rounds.
/// @pre ranks.count >= 1, degree >= 1
std::vector<std::vector<Arc>> simple_base_rounds(const Ranks& ranks, std::size_t degree);

}  // namespace starling::topology
