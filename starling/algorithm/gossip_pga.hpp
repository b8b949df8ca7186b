// Gossip SGD with periodic global averaging.
#pragma once

#include <cstdint>
#include <memory>

#include "starling/algorithm/algorithm.hpp"
#include "starling/topology/topology.hpp"

namespace starling::algorithm {

/// x^(k+1) = mean of all x_j^(k+1/2) when H divides k+1, else sum_j w_ij x_j^(k+1/2)
/// (Gossip-PGA, arXiv:2105.09080, Alg. 1). Keeps mean(x) up to the gradients; after a global
/// average all models are bitwise equal. Bytes over one period: (H-1) degree * d + 2 d (n-1)/n
/// floats.
class GossipPga final : public Algorithm {
 public:
  /// @pre period >= 1
  GossipPga(std::shared_ptr<const topology::Topology> topology, std::uint64_t period);

  void step(Replica& replica) override;

 private:
  std::shared_ptr<const topology::Topology> topology_;  // shared by the peers of one process
  std::uint64_t period_;
};

}  // namespace starling::algorithm
