#include "starling/algorithm/sgp.hpp"

#include <utility>

#include "starling/core/ensure.hpp"

namespace starling::algorithm {

Sgp::Sgp(std::shared_ptr<const topology::Topology> topology) : topology_(std::move(topology)) {}

void Sgp::start(Replica& replica) {
  unbiased_ = Buffer(replica.size() * sizeof(float));
}

void Sgp::step(Replica& replica) {
  const std::uint64_t k = replica.steps_done();
  const std::span<float> x = replica.parameters();
  const std::span<const float> z = unbiased(replica);  // z = x/w
  if (!replica.local_step(x, z)) {                     // x <- x - lr dir(grad F(z))
    return;
  }
  push_sum_.round(x,
                  topology_->row(k, replica.group().rank()),
                  replica.group(),
                  replica.mixing_options(k));  // push (p x, p w), keep one's share, add what comes
}

std::span<const float> Sgp::unbiased(Replica& replica) {
  push_sum_.debias(replica.parameters(), unbiased_.mutable_values());
  return unbiased_.values();
}

std::span<const float> Sgp::evaluation_view(Replica& replica) {
  return unbiased(replica);
}

std::vector<StateScalar> Sgp::scalars() const {
  return {{"push-sum weight", push_sum_.weight()}};
}

void Sgp::restore_scalars(std::span<const StateScalar> scalars) {
  ensure(scalars.size() == 1 && scalars[0].name == "push-sum weight",
         "sgp restores one push-sum weight",
         scalars.size());
  push_sum_.set_weight(scalars[0].value);
}

}  // namespace starling::algorithm
