// The exact weighted mean over a group: an all-reduce that can leave members out.
#pragma once

#include <span>

#include "starling/collective/collective.hpp"

namespace starling::mixing {

/// What a contribution counts, and what it usually counts: a `nominal` that all members agree on
/// and that is rarely exceeded.
struct Weight {
  double value = 1.0;
  double nominal = 1.0;
};

/// means <- sum_j w_j values_j / sum_j w_j at every member, for weights of any size. Where all
/// weights are the nominal one nothing is multiplied before the sum: the result is the plain mean.
/// Where only one is not 0, its values come back to the bit. The values of a member of weight 0 are
/// not looked at: they may be anything, NaN included.
///
/// One all-reduce of size + 1 floats, with weights relative to the nominal one. If they sum to less
/// than 1 or one of them exceeds 1, all members find out and weigh again relative to the largest:
/// another all-reduce of size + 1 floats, behind two of one float.
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
