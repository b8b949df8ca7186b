// Push-sum: directed averaging whose bias is measured by a weight and divided away.
#pragma once

#include <span>

#include "starling/mixing/neighbours.hpp"
#include "starling/mixing/options.hpp"
#include "starling/topology/topology.hpp"

namespace starling::mixing {

/// The scalar w_i of push-sum beside its numerator x_i, which the caller keeps. Over all peers the
/// weights sum to n and the numerators to what was put in, messages under way included (SGP,
/// arXiv:1811.10792).
class PushSum {
 public:
  /// w_i > 0; starts at 1.
  [[nodiscard]] double weight() const noexcept { return weight_; }

  void set_weight(double weight);

  /// x_i <- p_ii x_i + sum_j p_ij x_j and the same for w_i: pushes (p_ji x_i, p_ji w_i) to every
  /// out-neighbour j, keeps its own share, adds what comes in, in rank order (Alg. 1, lines 4 to
  /// 6). Sends out-degree messages of model bytes; w travels in the stamp. A share that could not
  /// be sent stays at home. @throws PeerLost, NotFiniteError by the policies
  MixingReport round(std::span<float> numerator,
                     const topology::MixingRow& row,
                     const Group& group,
                     const MixingOptions& options);

  /// z_i = x_i / w_i, the unbiased model. @pre equal sizes
  void debias(std::span<const float> numerator, std::span<float> model) const;

 private:
  double weight_ = 1.0;

  /// Pushes the shares of `row`. @return the share that stays: p_ii and what could not be sent
  [[nodiscard]] double push(std::span<const float> numerator,
                            const topology::MixingRow& row,
                            Neighbours& neighbours) const;
};

}  // namespace starling::mixing
