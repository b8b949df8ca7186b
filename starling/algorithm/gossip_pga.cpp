#include "starling/algorithm/gossip_pga.hpp"

#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/mixing/doubly_stochastic.hpp"

namespace starling::algorithm {

GossipPga::GossipPga(std::shared_ptr<const topology::Topology> topology, std::uint64_t period)
    : topology_(std::move(topology)), period_(period) {
  ensure(period_ >= 1, "gossip-pga averages globally every H >= 1 steps", period_);
}

void GossipPga::step(Replica& replica) {
  const std::uint64_t k = replica.steps_done();
  const std::span<float> x = replica.parameters();
  if (!replica.local_step(x, x)) {  // x^(k+1/2) = x^(k) - lr g
    return;
  }
  if ((k + 1) % period_ == 0) {
    replica.average_exactly(x);
  } else {
    mixing::mix_with_neighbours(
        x, topology_->row(k, replica.group().rank()), replica.group(), replica.mixing_options(k));
  }
}

}  // namespace starling::algorithm
