// From what the user said to the settings of a run, with the source of every value.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "starling/cli/finding.hpp"
#include "starling/cli/settings.hpp"

namespace starling::cli {

struct Effective {
  const OptionSet* options = nullptr;  ///< of the command; lives as long as the program
  Settings settings;
  std::map<std::string, Source> sources;  ///< by option name; absent: the default
  std::vector<Finding> findings;          ///< all mistakes by line; empty: the run may begin
  std::filesystem::path config_file{};    ///< of --config; empty: none
};

/// Defaults, then the file, then the command line; then every value and every combination is
/// checked.
Effective resolve(const OptionSet& options, const Reading& file, const Reading& command_line);

/// The settings as a TOML file that gives the same run, each value with its source as a comment.
std::string to_toml(const Effective& effective);

/// What config.toml of --out says. To replace an earlier run is the wish of a moment: whoever runs
/// the file again, or resumes with it, has not asked for that.
std::string lasting_toml(Effective effective);

}  // namespace starling::cli
