// Pairwise exchange: an all-to-all in which every part goes straight to its destination, one
// partner a round.
#pragma once

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// For t = 1 .. n-1: rank r sends its part for r+t and receives the one from r-t. n-1 rounds; a
/// part is sent once.
Schedule pairwise_all_to_all(const Request& request);

}  // namespace starling::collective
