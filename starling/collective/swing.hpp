// Swing for long vectors: reduce-scatter and all-gather over swing_peer(), on a ring or a torus
// whose links are all busy at once. The least bytes in 2 log2(n) rounds, and short ways.
#pragma once

#include <optional>
#include <string>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// A lane a color, each on its region of the vector: near steps first with large messages, then the
/// same backwards. 2(n-1)/n of the vector sent per rank. On a ring whose odd length the steps do
/// not cover, the last rank hands every other one its block to add and gets it back when it is
/// done.
Schedule swing_all_reduce(const Request& request);

/// Layout::relaxed: color c has the c-th region of the vector; if all extents are powers of two
/// every message is one run. One round first brings blocks to those who own them in the region.
/// Layout::split_blocks: color c has the c-th piece of every part, no further round.
Schedule swing_all_gather(const Request& request);

/// The all-gather backwards, adding; the further round comes last and copies.
Schedule swing_reduce_scatter(const Request& request);

/// Too many colors, or an axis that the steps do not cover.
std::optional<std::string> swing_objection(const Request& request);

}  // namespace starling::collective
