// What every inexact averaging is told, and what it reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "starling/core/layout.hpp"
#include "starling/core/policy.hpp"
#include "starling/core/time.hpp"
#include "starling/peer/message.hpp"

namespace starling::mixing {

/// Messages that came before their round, because the sender gave up an earlier one; at most one a
/// neighbour. Kept by whoever goes on after losses, from round to round.
using EarlyMessages = std::map<std::size_t, Message>;

struct MixingOptions {
  std::uint64_t round = 0;
  Deadline deadline{};
  OnLoss on_loss = OnLoss::stop;
  NotFinite not_finite = NotFinite::stop;
  EarlyMessages* early = nullptr;  ///< needed with OnLoss::continue_
  const Layout* layout =
      nullptr;  ///< of the model, to name its tensors; null: elements are counted
};

/// What did not go into a round.
struct MixingReport {
  std::size_t lost = 0;      ///< neighbours that did not answer or could not be reached
  std::size_t rejected = 0;  ///< models that were not finite, one's own included
};

}  // namespace starling::mixing
