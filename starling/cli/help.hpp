// The texts of --help, made from the tables, so that they cannot say anything else.
#pragma once

#include <string>

#include "starling/cli/option.hpp"

namespace starling::cli {

std::string program_help();
std::string train_help();
std::string average_help();
std::string bench_help();
std::string list_help();

/// "starling 0.1.0 (worlds: threads, sim)".
std::string version_text();

/// The tables of options and the table of exit codes as they stand in docs/program.md.
std::string options_markdown(const OptionSet& options);
std::string exit_codes_markdown();

}  // namespace starling::cli
