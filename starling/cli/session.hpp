// What every command that runs something does around it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "starling/cli/command_line.hpp"
#include "starling/cli/console.hpp"
#include "starling/cli/effective.hpp"
#include "starling/cli/log.hpp"
#include "starling/core/exit_code.hpp"
#include "starling/core/function_ref.hpp"
#include "starling/core/time.hpp"

namespace starling::cli {

/// What lives as long as the command runs.
struct Session {
  Console console{};
  std::optional<Log> log{};  ///< once it is known how loud it is to be
};

/// The settings of a command, or how it ended without running anything.
struct Configured {
  Effective effective;
  std::optional<ExitCode> ended{};
};

/// From the command line and its file to checked settings. Mistakes go to standard error, with
/// --print-config the settings to standard output. Opens the log of the session otherwise.
/// @throws StorageError
Configured configure(const OptionSet& options, const CommandLine& line, Session& session);

/// Standard output gets `text`, waiting for the reader at most `patience` in one piece; less than
/// zero: for ever. A reader that has gone is no error: it has seen what it wanted.
ExitCode print_result(const std::string& text, Duration patience, Log& log);

/// Runs `work`. What it throws ends up on standard error and in the exit code.
/// @param on_little_memory what needs less of it
ExitCode report_errors(Session& session,
                       const std::string& on_little_memory,
                       FunctionRef<ExitCode()> work);

}  // namespace starling::cli
