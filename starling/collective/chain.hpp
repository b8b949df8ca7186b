// Pipelined chain: every rank hands segment after segment on to the next. The bytes of one vector
// for every rank, and n-1 hops until the last one has the first segment.
#pragma once

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// With v = rank - root mod n and S segments of Request::segment elements: v receives segment s in
/// round v-1+s from v-1 and sends it in the next to v+1. n-2+S rounds.
Schedule chain_broadcast(const Request& request);

/// The broadcast backwards, adding.
Schedule chain_reduce(const Request& request);

}  // namespace starling::collective
