// starling list: the tables of the other rooms.
#pragma once

#include <string>

#include "starling/cli/command_line.hpp"

namespace starling::cli {

/// The text of `starling list ...`.
std::string list_text(const CommandLine& line);

}  // namespace starling::cli
