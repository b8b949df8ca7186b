// Pipelined binary tree: as few hops as a tree has, and the bytes of two vectors for those inside.
#pragma once

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// With v = rank - root mod n: v has the children 2v+1 and 2v+2. A rank sends a segment to one of
/// them in a round and to the other in the next, while it receives another one every second round.
/// About 2 log2(n) + 2S rounds for S segments of Request::segment elements.
Schedule binary_tree_broadcast(const Request& request);

/// The broadcast backwards, adding.
Schedule binary_tree_reduce(const Request& request);

}  // namespace starling::collective
