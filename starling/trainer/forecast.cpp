#include "starling/trainer/forecast.hpp"

#include <algorithm>

namespace starling::trainer {

namespace {

/// Short last batches cost less than a step: how full those of the largest shard are, 0 .. 1.
double fill_of_batches(const Plan& plan) {
  if (plan.steps_per_epoch == 0) {
    return 1.0;
  }
  std::size_t largest = 0;
  for (const auto& shard : plan.partition) {
    largest = std::max(largest, shard.size());
  }
  const double room =
      static_cast<double>(plan.steps_per_epoch) * static_cast<double>(plan.experiment.batch);
  return std::min(1.0, static_cast<double>(largest) / room);
}

/// One a step, but of methods whose peers go alone for a period.
double exchanges_in_a_step(const Plan& plan) {
  if (plan.experiment.peers == 1) {
    return 0.0;
  }
  const std::uint64_t chosen = plan.experiment.algorithm_options.period;
  const std::uint64_t period = chosen != 0 ? chosen : plan.entry->default_period;
  return plan.entry->exact_on_full ? 1.0 / static_cast<double>(period) : 1.0;
}

}  // namespace

Forecast forecast_of(const Plan& plan, std::uint64_t steps) {
  constexpr double kLongest = 1e9;  // seconds: a clock of nanoseconds holds nine times as much
  const auto count = static_cast<double>(steps);
  const double computing = count * plan.step_seconds * fill_of_batches(plan);
  return {.computing = from_seconds(std::min(kLongest, computing)),
          .exchanges = count * exchanges_in_a_step(plan)};
}

}  // namespace starling::trainer
