// Base-(k+1) graphs: exact averages in a few rounds for any n, at most k neighbours in a round
// (Takezawa et al. 2023, arXiv:2305.11420, Alg. 3).
#pragma once

#include "starling/topology/family.hpp"

namespace starling::topology {

/// "base:K": at most K neighbours in a round, so `base:1` (the same as `base`) is the Base-2 graph,
/// `base:2` the Base-3 graph. n = P R with P the part of n that has no prime factor above K+1:
/// P consecutive sets of R ranks run the Simple Base graph side by side, then the R transversals
/// {j, R + j, 2R + j, ..} a hyper-hypercube each. The Simple Base graph over all n instead where
/// that is shorter. Exact after every cycle of at most 2 log_{K+1} n + 2 rounds.
Made make_base(const Request& request);

}  // namespace starling::topology
