// Groups inside, leaders across: for networks whose levels differ in speed. Request::dims are the
// levels from the outermost to the innermost, 4x8 for four groups of eight neighbouring ranks; only
// one rank of a group talks to other groups.
#pragma once

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// From the innermost level out, every group reduces to its first rank; the first ranks of all
/// outermost groups all-reduce; then the result is broadcast from level to level. Reductions are
/// reduce-scatter and gather, broadcasts scatter and all-gather, the exchange in the middle is
/// circulant: so a level of extent d moves 4(d-1)/d vectors one after another, the outermost
/// 2(d-1)/d.
Schedule hierarchical_all_reduce(const Request& request);

/// From the outermost level in: those who lie in their groups as the root does in its own hand on.
Schedule hierarchical_broadcast(const Request& request);

/// From the innermost level out.
Schedule hierarchical_reduce(const Request& request);

}  // namespace starling::collective
