// Checks that need the tables of the other rooms: names, and what must fit together.
#pragma once

#include <functional>
#include <string>

#include "starling/cli/effective.hpp"

namespace starling::cli {

/// Runs a room's own check; its refusal (ConfigError) becomes a finding about `option`.
void check(Effective& effective, const std::string& option, const std::function<void()>& make);

/// Adds a finding for every name that is not in its table and for topologies, optimizers and
/// schedules that cannot be made with these settings.
void check_names(Effective& effective);

}  // namespace starling::cli
