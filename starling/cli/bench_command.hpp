// starling bench: from the command line to the exit code.
#pragma once

#include "starling/cli/command_line.hpp"
#include "starling/core/exit_code.hpp"

namespace starling::cli {

/// @throws nothing that a user can cause: errors end up on standard error and in the exit code
ExitCode run_bench(const CommandLine& line);

}  // namespace starling::cli
