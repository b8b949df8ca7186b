// The exact weighted mean over a group: an all-reduce that can leave members out.
#pragma once

#include <span>

#include "starling/collective/collective.hpp"

namespace starling::mixing {

/// What a contribution counts, relative to a `nominal` that all members agree on: where every
/// weight is the nominal one nothing is multiplied before the sum (so the result is the plain
/// mean), and no weight, however large, overflows.
struct Weight {
  double value = 1.0;
  double nominal = 1.0;
};

/// means <- sum_j w_j values_j / sum_j w_j at every member: one all-reduce of size + 1 floats. The
/// values of a member of weight 0 are not looked at: they may be anything, NaN included.
/// @param values_and_room values, kept as they are, and behind them one float of room for the
/// weight
/// @param means_and_room of the same size, elsewhere
/// @return false, with nothing of use in `means`, if all weights are 0
/// @throws PeerLost  @pre weight.value >= 0 and finite, weight.nominal > 0
bool weighted_mean(collective::Collective& group,
                   std::span<float> values_and_room,
                   std::span<float> means_and_room,
                   Weight weight,
                   const collective::CollectiveOptions& options);

}  // namespace starling::mixing
