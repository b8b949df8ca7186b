#include "starling/cli/settings.hpp"

#include "starling/cli/bench_sizes.hpp"

namespace starling::cli {

trainer::Averaging averaging_of(const Settings& settings) {
  const trainer::Experiment& common = settings.experiment;
  trainer::Averaging averaging = settings.averaging;
  averaging.averager.peers = common.peers;
  averaging.averager.seed = common.seed;
  averaging.timeout_seconds = common.timeout_seconds;
  averaging.slow_warning_seconds = common.slow_warning_seconds;
  return averaging;
}

trainer::Timing timing_of(const Settings& settings) {
  const trainer::Experiment& common = settings.experiment;
  trainer::Timing timing = settings.timing;
  timing.peers = common.peers;
  timing.seed = common.seed;
  timing.timeout = from_seconds(common.timeout_seconds);
  timing.slow_warning = from_seconds(common.slow_warning_seconds);
  std::string wrong;  // was seen when the option was set
  timing.sizes = read_sizes(settings.bench.sizes, wrong);
  return timing;
}

}  // namespace starling::cli
