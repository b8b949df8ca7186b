// Decentralized SGD on a fixed or changing graph.
#pragma once

#include <memory>

#include "starling/algorithm/algorithm.hpp"
#include "starling/algorithm/options.hpp"
#include "starling/topology/topology.hpp"

namespace starling::algorithm {

/// x_i <- sum_j w_ij(t) (x_j - lr g_j(x_j))   (adapt then combine), or
/// x_i <- sum_j w_ij(t) x_j - lr g_i(x_i)     (combine while computing: models travel beside the
/// gradient); W(t) doubly stochastic, any schedule (arXiv:2003.10422, section 3; the second form is
/// D-PSGD's, arXiv:1705.09056). Keeps mean(x) up to the gradients. Sends degree * d floats a step.
class Dsgd final : public Algorithm {
 public:
  Dsgd(std::shared_ptr<const topology::Topology> topology, Order order);

  void step(Replica& replica) override;

 private:
  std::shared_ptr<const topology::Topology> topology_;  // shared by the peers of one process
  Order order_;

  void adapt_then_combine(Replica& replica, const topology::MixingRow& row);
  void combine_while_computing(Replica& replica, const topology::MixingRow& row);
};

}  // namespace starling::algorithm
