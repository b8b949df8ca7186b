// The rules of the house, each a function from files to findings. docs/architecture.md gives the
// reasons.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/house/source_file.hpp"

namespace starling::house {

/// A room includes only itself and the rooms above it.
Findings check_inclusion_order(const SourceFile& file);

/// Headers and names that have one home: "X is banned in Y, use Z".
Findings check_banned(const SourceFile& file);

/// A public header of the library down to trainer/ includes no third party.
Findings check_third_party_headers(const SourceFile& public_header);

/// At most 600 lines of at most 100 columns, no mark of unfinished work, `#pragma once` in headers.
Findings check_form(const SourceFile& file);

/// What stands in quotes is a path from the root and exists.
Findings check_includes_from_root(const SourceFile& file, const std::set<std::string>& paths);

/// The files that the CMakeLists.txt of the tree name, as paths from the root.
std::set<std::string> listed_files(const std::vector<SourceFile>& tree);

/// Every .cpp is listed. A header below starling/ is listed, too, and so public, or private to its
/// room: included there, by no other room and by no public header.
Findings check_listed(const std::vector<SourceFile>& tree);

/// Scripts begin with #! and may be run.
Findings check_script(const SourceFile& file, bool is_executable);

/// README.md names the two commands.
Findings check_readme(const SourceFile& readme);

}  // namespace starling::house
