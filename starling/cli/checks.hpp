// Checks that need the tables of the other rooms: names, and what must fit together.
#pragma once

#include <functional>
#include <string>

#include "starling/cli/effective.hpp"

namespace starling::cli {

/// Runs a room's own check; its refusal (ConfigError) becomes a finding about `option`.
void check(Effective& effective, const std::string& option, const std::function<void()>& make);

/// For train: settles the length of the run, and adds a finding for every name that is not in its
/// table and for topologies, optimizers and schedules that cannot be made with these settings.
void check_train(Effective& effective);

/// For average: adds a finding for an averager, collective or grid that does not exist for these
/// peers.
void check_average(Effective& effective);

/// For bench: adds a finding for algorithms, roots and sizes that cannot be, and for a plot that
/// has no folder.
void check_bench(Effective& effective);

}  // namespace starling::cli
