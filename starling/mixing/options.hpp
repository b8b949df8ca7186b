// What every inexact averaging is told, and what it reports.
#pragma once

#include <cstddef>
#include <cstdint>

#include "starling/core/policy.hpp"
#include "starling/core/time.hpp"

namespace starling::mixing {

struct MixingOptions {
  std::uint64_t round = 0;
  Deadline deadline{};
  OnLoss on_loss = OnLoss::stop;
  NotFinite not_finite = NotFinite::stop;
};

/// What did not go into a round.
struct MixingReport {
  std::size_t lost = 0;      ///< neighbours that did not answer or could not be reached
  std::size_t rejected = 0;  ///< models that were not finite, one's own included
};

}  // namespace starling::mixing
