// The extents of tori and grids, and where a rank lies in them: row-major, last axis fastest.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starling::collective {

/// `peers` factored into `axes` extents as evenly as possible: least sum of (extent - 1), larger
/// ones first; axes of extent 1 are dropped. A prime gives a ring. @pre peers, axes >= 1
std::vector<std::size_t> even_dims(std::size_t peers, std::size_t axes);

/// "4x4x2". @throws ConfigError unless it is such a list of numbers >= 1 whose product fits
std::vector<std::size_t> parse_dims(std::string_view text);

/// The reverse: "4x4x2".
std::string dims_text(std::span<const std::size_t> dims);

std::size_t product(std::span<const std::size_t> dims);

std::vector<std::size_t> coordinates(std::size_t rank, std::span<const std::size_t> dims);

std::size_t rank_at(std::span<const std::size_t> coordinates, std::span<const std::size_t> dims);

}  // namespace starling::collective
