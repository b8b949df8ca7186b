// Swing for short vectors: whole vectors are exchanged with swing_peer(). Fewest rounds and short
// ways; but ranks add in different orders, so from 8 ranks on they differ in the last bits.
#pragma once

#include <optional>
#include <string>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// n = 2^L: L rounds, L vectors sent per rank; a lane a color, each with its region of the vector.
/// Other extents: of 2e ranks (e = extent - 2^floor(log2 extent)) at the beginning of an axis every
/// even one hands its vector to the next and gets the result at the end; axis after axis, two more
/// rounds each.
Schedule swing_latency_all_reduce(const Request& request);

/// Too many colors.
std::optional<std::string> swing_latency_objection(const Request& request);

}  // namespace starling::collective
