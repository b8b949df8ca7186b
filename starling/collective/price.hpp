// The best algorithm by the cost model, length by length.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "starling/collective/choose.hpp"
#include "starling/collective/cost.hpp"
#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// The algorithm that takes least time for each of the lengths of f32 vectors, for
/// Selection::measured; among those that offer `operation` to so many peers and leave the same bits
/// everywhere. An entry holds from its length up to the next one, the first from 0 on; one that
/// would name the algorithm of the entry before is left out.
/// Cost: the schedules of all ranks; those whose busiest link leaves them a chance are played until
/// they are slower than the best so far: milliseconds for tens of peers, seconds for hundreds.
/// Those in which more than eight million times somebody sends or receives are left out.
/// @pre bytes ascend
std::vector<MeasuredChoice> cheapest(Operation operation,
                                     std::size_t peers,
                                     std::span<const std::size_t> bytes,
                                     const LinkModel& link);

}  // namespace starling::collective
