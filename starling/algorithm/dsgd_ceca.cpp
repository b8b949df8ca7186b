#include "starling/algorithm/dsgd_ceca.hpp"

#include "starling/core/ensure.hpp"
#include "starling/core/span_math.hpp"
#include "starling/mixing/ceca.hpp"

namespace starling::algorithm {

namespace {

constexpr const char* kRound = "ceca round";
constexpr const char* kOthers = "others";

}  // namespace

DsgdCeca::DsgdCeca(topology::CecaPorts ports) : ports_(ports) {}

void DsgdCeca::start(Replica& replica) {
  schedule_.emplace(replica.group().size(), ports_);
  round_ = 0;
  others_ = Buffer(replica.size() * sizeof(float));
  copy(replica.parameters(), others_.mutable_values());
}

void DsgdCeca::step(Replica& replica) {
  const std::span<float> x = replica.parameters();
  if (schedule_->rounds() == 0) {  // one peer
    [[maybe_unused]] const bool stepped = replica.local_step(x, x);
    return;
  }
  const std::span<float> y = others_.mutable_values();
  const auto exchange = schedule_->exchange(round_, replica.group().rank());
  const std::span<const float> u = exchange.sends_model ? x : y;
  const Gradient outcome = replica.take_gradient(u);  // g_i(u)
  if (outcome == Gradient::round_skipped) {
    return;
  }
  if (outcome == Gradient::taken) {
    replica.turn_gradient_into_direction(u);
    replica.descend(x);  // x <- x - lr g
    replica.descend(y);  // y <- y - lr g, the same g
  }
  mixing::ceca_round({.own = x, .others = y},
                     exchange,
                     replica.group(),
                     replica.mixing_options(replica.steps_done()));
  round_ = (round_ + 1) % schedule_->rounds();
}

std::vector<StateScalar> DsgdCeca::scalars() const {
  return {{kRound, static_cast<double>(round_)}};
}

void DsgdCeca::restore_scalars(std::span<const StateScalar> scalars) {
  ensure(schedule_.has_value() && scalars.size() == 1 && scalars[0].name == kRound,
         "dsgd-ceca restores one round of a cycle after its start",
         scalars.size());
  const double round = scalars[0].value;
  const auto rounds = static_cast<double>(schedule_->rounds());
  ensure(round == 0.0 || (round > 0.0 && round < rounds), "a round of the cycle", round, rounds);
  round_ = static_cast<std::size_t>(round);
}

std::vector<StateVector> DsgdCeca::vectors() {
  return {{kOthers, others_.mutable_values()}};
}

}  // namespace starling::algorithm
