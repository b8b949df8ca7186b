#include "starling/algorithm/allreduce_sgd.hpp"

#include "starling/mixing/weighted_mean.hpp"

namespace starling::algorithm {

void AllreduceSgd::step(Replica& replica) {
  const std::span<float> x = replica.parameters();
  if (replica.take_gradient(x) == Gradient::round_skipped) {
    return;
  }  // g_i
  const bool any =
      mixing::weighted_mean(replica.group(),
                            replica.gradient_and_room(),
                            static_cast<double>(replica.gradient_samples()),
                            static_cast<double>(replica.options().nominal_batch),
                            replica.collective_options());  // g = sum b_i g_i / sum b_i
  if (!any) {
    return;
  }  // nobody had a sample in this step: x stays
  replica.turn_gradient_into_direction(x);
  replica.descend(x);
}

}  // namespace starling::algorithm
