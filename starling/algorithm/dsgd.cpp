#include "starling/algorithm/dsgd.hpp"

#include <utility>

#include "starling/mixing/doubly_stochastic.hpp"

namespace starling::algorithm {

Dsgd::Dsgd(std::shared_ptr<const topology::Topology> topology, Order order)
    : topology_(std::move(topology)), order_(order) {}

void Dsgd::step(Replica& replica) {
  const topology::MixingRow row = topology_->row(replica.steps_done(), replica.group().rank());
  if (order_ == Order::adapt_then_combine) {
    adapt_then_combine(replica, row);
  } else {
    combine_while_computing(replica, row);
  }
}

void Dsgd::adapt_then_combine(Replica& replica, const topology::MixingRow& row) {
  const std::span<float> x = replica.parameters();
  if (!replica.local_step(x, x)) {  // y = x - lr g(x)
    return;
  }
  mixing::mix_with_neighbours(x,
                              row,
                              replica.group(),
                              replica.mixing_options(replica.steps_done()));  // x = W y
}

void Dsgd::combine_while_computing(Replica& replica, const topology::MixingRow& row) {
  const std::span<float> x = replica.parameters();
  mixing::Exchange exchange(x, row, replica.group(), replica.mixing_options(replica.steps_done()));
  const Gradient gradient = replica.take_gradient(x);  // while the models travel
  if (gradient == Gradient::round_skipped) {
    exchange.discard();
    return;
  }
  if (gradient == Gradient::taken) {
    replica.turn_gradient_into_direction(x);
  }
  exchange.finish(x);  // x = W x
  if (gradient == Gradient::taken) {
    replica.descend(x);
  }
}

}  // namespace starling::algorithm
