// A whole text file in memory, whatever its name leads to.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace starling {

/// The content of the regular file `path`, links followed, if it has at most `bytes_max` bytes. A
/// pipe or a device is not read and not waited for: it may never end. Nothing if there is no such
/// file, and in `wrong` why: "expected a regular file, found something else".
std::optional<std::string> read_regular_file(const std::string& path,
                                             std::size_t bytes_max,
                                             std::string& wrong);

}  // namespace starling
