// What stands on the command line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "starling/cli/finding.hpp"

namespace starling::cli {

enum class Command : std::uint8_t { help, version, train, average, bench, list };

struct CommandLine {
  Command command = Command::help;
  Command help_for =
      Command::help;  ///< with Command::help: whose help; help itself means the program's

  Reading given;                 ///< options of what runs; findings of every command
  std::filesystem::path config;  ///< what runs: TOML file; empty: none
  bool print_config = false;     ///< what runs: show the effective settings and run nothing

  std::string list_kind;        ///< list: "algorithms", ...
  std::size_t list_peers = 16;  ///< list: n for which topologies are judged
  bool list_json = false;
};

/// Never throws for what the user typed: mistakes are findings.
CommandLine parse_command_line(std::span<const std::string> words);

/// What `starling list` can list.
std::span<const std::string> list_kinds();

}  // namespace starling::cli
