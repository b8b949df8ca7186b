// One round of CECA: the exact mean in ceil(log2 n) rounds from two vectors a peer.
#pragma once

#include <span>

#include "starling/mixing/neighbours.hpp"
#include "starling/mixing/options.hpp"
#include "starling/topology/ceca.hpp"

namespace starling::mixing {

/// The two vectors of a peer, of one size.
struct CecaModels {
  std::span<float> own;     ///< x_i
  std::span<float> others;  ///< y_i, the mean of those heard of but oneself
};

/// One round of the schedule (CECA, arXiv:2306.00256): sends x or y as the digit says, receives c,
/// x <- (1-a) x + a c and y <- (1-b) y + b c with the shares a, b of `exchange`. Models that are
/// equal stay so to the bit. In the first round of a cycle y becomes c and what it held is not
/// looked at. Sends one message of model bytes.
///
/// A c that is rejected (skip_peer) leaves x and y as they are, y becoming x in the first round; a
/// peer whose own vectors are not finite offers nothing and takes c for both.
/// @pre options.on_loss is stop: a cycle that lacks one peer is void at all the others
/// @throws PeerLost; NotFiniteError by the policy
MixingReport ceca_round(const CecaModels& models,
                        const topology::CecaExchange& exchange,
                        const Group& group,
                        const MixingOptions& options);

}  // namespace starling::mixing
