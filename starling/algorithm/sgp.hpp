// Stochastic gradient push.
#pragma once

#include <memory>

#include "starling/algorithm/algorithm.hpp"
#include "starling/core/buffer.hpp"
#include "starling/mixing/push_sum.hpp"
#include "starling/topology/topology.hpp"

namespace starling::algorithm {

/// SGP (arXiv:1811.10792, Alg. 1): gradients at z = x/w, steps on x, then one push-sum round of (x,
/// w) over a directed, column-stochastic P(k). Keeps sum(x) up to the gradients and sum(w) = n.
/// Sends out-degree * d floats a step, w in the stamp. Where losses are let pass the step is lr
/// min(1, w).
class Sgp final : public Algorithm {
 public:
  explicit Sgp(std::shared_ptr<const topology::Topology> topology);

  void start(Replica& replica) override;
  void step(Replica& replica) override;
  [[nodiscard]] std::span<const float> evaluation_view(Replica& replica) override;
  [[nodiscard]] std::vector<StateScalar> scalars() const override;
  void restore_scalars(std::span<const StateScalar> scalars) override;

 private:
  std::shared_ptr<const topology::Topology> topology_;  // shared by the peers of one process
  mixing::PushSum push_sum_;
  Buffer unbiased_;  // z

  std::span<const float> unbiased(Replica& replica);
  [[nodiscard]] float damping(const Replica& replica) const;
};

}  // namespace starling::algorithm
