// What is known of a run before its first step.
#pragma once

#include <cstdint>

#include "starling/core/time.hpp"
#include "starling/trainer/plan.hpp"

namespace starling::trainer {

/// Of one peer on a machine of speed 1.
struct Forecast {
  Duration computing{};    ///< cost of all steps
  double exchanges = 0.0;  ///< times that it waits for others, at least
};

Forecast forecast_of(const Plan& plan, std::uint64_t steps);

}  // namespace starling::trainer
