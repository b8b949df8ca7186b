// Sizes of vectors as they are typed: "64KiB", "1KiB..64MiB".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace starling::cli {

/// Longest vector that can be asked for.
inline constexpr std::size_t kBenchBytesMax = std::size_t{1} << 40U;

/// In a range every size is so many times the one before; its end is always there.
inline constexpr std::size_t kBenchSizeStep = 4;

/// The sizes in order, none twice. `wrong` says what is wrong with the texts; empty if nothing.
std::vector<std::size_t> read_sizes(std::span<const std::string> texts, std::string& wrong);

}  // namespace starling::cli
