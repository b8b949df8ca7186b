// A whole file in memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace starling::trainer {

/// @throws DataError if the file is missing, no regular one (a pipe may never end), unreadable or
/// changes its size meanwhile
std::vector<std::byte> read_file(const std::filesystem::path& path);

}  // namespace starling::trainer
