#include "starling/algorithm/local_sgd.hpp"

#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/mixing/doubly_stochastic.hpp"

namespace starling::algorithm {

LocalSgd::LocalSgd(std::shared_ptr<const topology::Topology> topology, std::uint64_t period)
    : topology_(std::move(topology)), period_(period) {
  ensure(period_ >= 1, "local-sgd averages every H >= 1 steps", period_);
}

void LocalSgd::step(Replica& replica) {
  const std::span<float> x = replica.parameters();
  if (!replica.local_step(x, x)) {  // y = x - lr g(x)
    return;
  }
  const std::uint64_t t = replica.steps_done();
  if ((t + 1) % period_ != 0) {  // W(t) = I
    return;
  }
  if (topology_ == nullptr) {
    replica.average_exactly(x);  // W(t) = 11^T/n
  } else {
    const std::uint64_t round = t / period_;
    mixing::mix_with_neighbours(x,
                                topology_->row(round, replica.group().rank()),
                                replica.group(),
                                replica.mixing_options(round));
  }
}

}  // namespace starling::algorithm
