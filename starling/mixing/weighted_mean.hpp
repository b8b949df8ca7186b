// The exact weighted mean over a group: an all-reduce that can leave members out.
#pragma once

#include <span>

#include "starling/collective/collectives.hpp"

namespace starling::mixing {

/// values <- sum_j w_j values_j / sum_j w_j at every member, the weights relative to a `nominal`
/// that all members agree on: where every weight is the nominal one, nothing is multiplied before
/// the sum (so the result is the plain mean) and no weight, however large, overflows. One
/// all-reduce of size + 1 floats. The values of a member of weight 0 are not looked at: they may be
/// anything, NaN included.
/// @param values_and_room values, and behind them one float of room for the weight
/// @return false, with the values as they were, if all weights are 0
/// @throws PeerLost  @pre w_j >= 0 and finite, nominal > 0
bool weighted_mean(const Group& group,
                   std::span<float> values_and_room,
                   double weight,
                   double nominal,
                   const collective::CollectiveOptions& options);

}  // namespace starling::mixing
