// Settings from a TOML file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "starling/cli/finding.hpp"

namespace starling::cli {

/// Reads `text`, the content of the file the user knows as `name`, for a command with these
/// options, which outlive the reading. Mistakes become findings: unknown keys and sections, keys in
/// the wrong section, keys given twice, values of the wrong type.
Reading read_config(const OptionSet& options, const std::string& name, std::string_view text);

/// As above, from the disk. A file that cannot be read is a finding.
Reading read_config_file(const OptionSet& options, const std::filesystem::path& path);

}  // namespace starling::cli
