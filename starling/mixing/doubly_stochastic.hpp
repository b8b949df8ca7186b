// Inexact averaging with the neighbours of a round, by a row of a doubly stochastic matrix.
#pragma once

#include <cstddef>
#include <span>

#include "starling/mixing/neighbours.hpp"
#include "starling/mixing/options.hpp"
#include "starling/topology/topology.hpp"

namespace starling::mixing {

/// One round x_i <- w_ii x_i + sum_j w_ij x_j (D-SGD, arXiv:2003.10422, section 3), in two halves
/// so that a gradient can be taken while the models travel. The constructor sends the model as it
/// is then (one copy for all neighbours); finish() receives and blends, others in rank order, own
/// model last.
///
/// Sends out-degree messages of model bytes. What a missing or rejected model would have weighed
/// stays with one's own, so the row still sums to 1; a loss seen by one side only moves the mean,
/// hence the events.
class Exchange {
 public:
  /// `row` and `group` outlive the exchange. @throws PeerLost, NotFiniteError by the policies
  Exchange(std::span<const float> model,
           const topology::MixingRow& row,
           const Group& group,
           const MixingOptions& options);

  /// model <- w_ii model + sum_j w_ij x_j. @pre the size that was sent
  /// @throws PeerLost, NotFiniteError by the policies
  MixingReport finish(std::span<float> model);

  /// Receives and drops what the neighbours sent: for a step that all peers agreed to skip.
  void discard();

 private:
  const topology::MixingRow& row_;
  Neighbours neighbours_;
  std::size_t elements_;
  bool own_is_finite_ = true;
};

/// Both halves at once.
MixingReport mix_with_neighbours(std::span<float> model,
                                 const topology::MixingRow& row,
                                 const Group& group,
                                 const MixingOptions& options);

}  // namespace starling::mixing
