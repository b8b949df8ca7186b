// Bine trees and butterflies (De Sensi et al., SC 2025, arXiv:2508.17311): partners at negabinary
// distances, so that ways modulo n are about two thirds of a binomial tree's. For n = 2^L.
#pragma once

#include <optional>
#include <string>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// With v = rank - root mod n, for k = L-1 .. 0: every v that has the vector sends it to the rank
/// whose negabinary digits are those of v with the lowest k+1 flipped, |rho(k)| ranks away. L
/// rounds.
Schedule bine_broadcast(const Request& request);

/// The broadcast backwards, adding.
Schedule bine_reduce(const Request& request);

/// The butterfly: Swing's partners on a ring, one color, blocks numbered so that every message is
/// one run. 2 log2(n) rounds, 2(n-1)/n of the vector sent per rank.
Schedule bine_all_reduce(const Request& request);

/// One half of it, and a round that brings the numbered blocks where they belong.
Schedule bine_all_gather(const Request& request);
Schedule bine_reduce_scatter(const Request& request);

}  // namespace starling::collective
