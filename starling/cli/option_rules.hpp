// Which settings make an option meaningless: no option is ignored, so these refuse it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "starling/cli/settings.hpp"

namespace starling::cli {

/// Says why an option has no effect with the given settings, and what would take it; empty: it has
/// one.
using Refusal = std::function<std::string(const Settings&)>;

Refusal only_in_simulation();

Refusal only_on_threads();

/// For --seed of a command in which nothing else is random.
Refusal only_where_the_network_is_drawn();

/// What some group operations have and others do not.
enum class Part : std::uint8_t { vector, reduction, root };

Refusal only_for_operations_with(Part part);

/// For options that the algorithms' table assigns: `option` as it is called there.
Refusal only_for_algorithms_with(std::string option);

/// The same for the table of averagers.
Refusal only_for_averagers_with(std::string option);

Refusal only_for_optimizers(std::vector<std::string> names);
Refusal only_for_schedules(std::vector<std::string> names);
Refusal only_for_models(std::vector<std::string> names);
Refusal only_for_models_with_data();

/// For --data itself: that there is none may be said to every model.
Refusal only_for_models_with_data_unless_none();

/// For what is written beside the run: needs --out or --checkpoint-dir.
Refusal only_with_folder();

/// For what is about the folder of a result: needs --out.
Refusal only_with_result_folder();

/// For what goes into metrics.jsonl.
Refusal only_with_out();

/// For how many checkpoints are kept: needs more than the one of an interrupt.
Refusal only_with_checkpoints();

/// For --overwrite: a resumed run goes on where it stopped.
Refusal only_with_folder_afresh();

/// For --slow-warning: no wait lasts longer than --timeout.
Refusal only_below_timeout();

/// For --verbose: not together with --quiet.
Refusal only_if_not_quiet();

}  // namespace starling::cli
