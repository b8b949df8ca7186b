// A new random pairing in every round.
#pragma once

#include "starling/topology/family.hpp"

namespace starling::topology {

/// Every round a perfect matching, all equally likely, drawn from (seed, round); pairs share
/// equally, weight 1/2. With odd n one rank idles, each with probability 1/n. p = n/(2(n-1)) for
/// even n, 1/2 for odd n (arXiv:2003.10422). A row costs O(n).
Made make_random_matching(const Request& request);

}  // namespace starling::topology
