// Numbers of bytes as people type and read them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace starling {

/// "64KiB", "1 MiB", "4096", "4096B"; powers of 1024 only (KiB, MiB, GiB). Nothing if it is no such
/// thing or does not fit.
std::optional<std::size_t> parse_bytes(std::string_view text);

/// The same number with the largest unit that divides it: "64KiB", "1000B".
std::string bytes_text(std::size_t bytes);

}  // namespace starling
