#include "starling/algorithm/sgp.hpp"

#include <algorithm>
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
  if (!replica.local_step(x, z, damping(replica))) {   // x <- x - lr dir(grad F(z))
    return;
  }
  push_sum_.round(x,
                  topology_->row(k, replica.group().rank()),
                  replica.group(),
                  replica.mixing_options(k));  // push (p x, p w), keep one's share, add what comes
}

/// A step of lr on x moves z by lr / w. Where losses are let pass, w shrinks while shares go to a
/// peer that is silent, and the steps would grow without bound: they stay at lr there. 1 where
/// nothing is lost on a topology that keeps w at 1.
float Sgp::damping(const Replica& replica) const {
  const bool goes_on = replica.options().on_loss == OnLoss::continue_;
  return goes_on ? static_cast<float>(std::min(1.0, push_sum_.weight())) : 1.0F;
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
