// Averaging under fault schedules: eight peers that begin with their ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "starling/core/policy.hpp"
#include "starling/mixing/options.hpp"
#include "starling/peer/group.hpp"

#include "tests/faults/schedules.hpp"

namespace starling::testing {

inline constexpr std::size_t kAveragers = 8;

/// What a peer does to its value in a round.
using Averaging = std::function<void(std::span<float> value, const mixing::MixingOptions& options)>;

struct AveragingCase {
  std::uint64_t rounds = 0;
  /// What one peer averages with; `seed` is that of the schedule.
  std::function<Averaging(const Group& group, std::uint64_t seed)> make;
  /// What is wrong with the values after a run in which nobody was lost; empty: nothing.
  std::function<std::string(std::span<const float> values)> complaint;
};

/// Half a second of work before every round, 20 seconds for its messages. Whatever happens, who
/// ends has a value between those that there were.
FaultTrial averaging_trial(const AveragingCase& averaging, OnLoss on_loss);

}  // namespace starling::testing
