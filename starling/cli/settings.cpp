#include "starling/cli/settings.hpp"

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

}  // namespace starling::cli
