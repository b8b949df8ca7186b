// Clos: recursive halving and doubling in which the largest message goes the shortest way and every
// message lies in one piece, for networks whose hosts are joined by a tree of switches (Sack and
// Gropp, PPoPP 2012, doi:10.1145/2145816.2145823).
#pragma once

#include <optional>
#include <string>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// Rank r sends its block to the rank with the bits of r reversed; then partners at distance n/2,
/// .., 2, 1 exchange all they have, 1, 2, .., n/2 blocks. log2(n) + 1 rounds, at most m bytes sent
/// per rank.
/// @pre !clos_objection(request)
Schedule clos_all_gather(const Request& request);

/// The same backwards in time.
Schedule clos_reduce_scatter(const Request& request);

/// Reduce-scatter, then all-gather, without the two rounds that undo each other. 2 log2(n) rounds.
Schedule clos_all_reduce(const Request& request);

/// Any number of peers that is no power of two.
std::optional<std::string> clos_objection(const Request& request);

}  // namespace starling::collective
