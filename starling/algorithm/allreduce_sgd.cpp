#include "starling/algorithm/allreduce_sgd.hpp"

namespace starling::algorithm {

void AllreduceSgd::step(Replica& replica) {
  const std::span<float> x = replica.parameters();
  if (replica.take_gradient(x) == Gradient::round_skipped) {  // g_i
    return;
  }
  if (!replica.average_gradient()) {  // g = sum b_i g_i / sum b_i
    return;                           // nobody had a sample in this step: x stays
  }
  replica.turn_gradient_into_direction(x);
  replica.descend(x);
}

}  // namespace starling::algorithm
