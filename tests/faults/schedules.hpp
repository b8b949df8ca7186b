// Seeded fault schedules for any run: what it means to survive them, and how to replay the one that
// was not survived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "starling/core/time.hpp"
#include "starling/simulation/sim_world.hpp"

namespace starling::testing {

/// Seeds that one test runs. With sanitizers a run takes ten times as long, and what they find does
/// not hang on the seed.
#ifdef STARLING_SANITIZED
inline constexpr std::size_t kSeedsOfTest = 5;
#else
inline constexpr std::size_t kSeedsOfTest = 25;
#endif

/// Something to run under faults.
struct FaultTrial {
  std::size_t peers = 8;
  /// A run that has not ended by then hangs.
  Duration time_limit = std::chrono::minutes(10);
  /// Runs in `world`, whose faults come from `seed`. @return what is wrong; empty if the result is
  /// right, or if the run failed with a named cause (see complaint_about)
  std::function<std::string(SimWorld& world, std::uint64_t seed)> run;
};

/// The world of one schedule: platform, kinds of faults, their rates and times all drawn from
/// `seed`.
SimOptions schedule_of(std::uint64_t seed, const FaultTrial& trial);

/// What is wrong with the end of a run, whatever it computed: a peer cut off by the time limit, a
/// failure that names nobody, a culprit that did not fail. Empty: nothing.
std::string complaint_about(const RunReport& report);

/// Runs `trial` under the schedules of `count` seeds from `first` on. A seed that fails is reported
/// with the command that replays it: STARLING_FAULT_SEED in the environment runs that seed alone.
void expect_to_survive(const FaultTrial& trial, std::uint64_t first, std::size_t count);

}  // namespace starling::testing
