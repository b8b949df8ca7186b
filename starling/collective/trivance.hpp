// Trivance (Juerss, Addanki, Schmid, arXiv:2602.17254): partners on both sides at distances 1, 3,
// 9,
// .., so that both directions of a ring are busy and ceil(log3 n) rounds are enough.
#pragma once

#include <optional>
#include <string>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// For long vectors, any n: reduce-scatter with partners r +- 3^k, near ones first, then the same
/// backwards. On a torus color c < D has its region of the vector and begins with axis c; steps
/// visit the axes cyclically. 2 ceil(log3 n) rounds of two messages, 2(n-1)/n of the vector sent
/// per rank.
Schedule trivance_all_reduce(const Request& request);

/// Color c has the c-th piece of every part.
Schedule trivance_all_gather(const Request& request);

/// The all-gather backwards, adding.
Schedule trivance_reduce_scatter(const Request& request);

/// More colors than axes.
std::optional<std::string> trivance_objection(const Request& request);

/// For short vectors: in round k the sum so far goes to r + 3^k and r - 3^k, which add both that
/// they get; ranks add in different orders and differ in the last bits. log3(n) rounds of two
/// vectors.
/// @pre extents are powers of three
Schedule trivance_latency_all_reduce(const Request& request);

/// As above, or an extent that is no power of three.
std::optional<std::string> trivance_latency_objection(const Request& request);

}  // namespace starling::collective
