#include "starling/algorithm/algorithm.hpp"

#include "starling/core/ensure.hpp"

namespace starling::algorithm {

void Algorithm::start(Replica& /*replica*/) {}

void Algorithm::finish(Replica& /*replica*/) {}

std::span<const float> Algorithm::evaluation_view(Replica& replica) {
  return replica.parameters();
}

std::vector<StateScalar> Algorithm::scalars() const {
  return {};
}

void Algorithm::restore_scalars(std::span<const StateScalar> scalars) {
  ensure(scalars.empty(), "this algorithm keeps no numbers of its own", scalars.size());
}

std::vector<StateVector> Algorithm::vectors() {
  return {};
}

}  // namespace starling::algorithm
