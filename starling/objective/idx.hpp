// IDX files: arrays of bytes with their extents in front, plain or gzipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace starling::objective {

/// An array of unsigned bytes in row-major order.
struct IdxArray {
  std::vector<std::size_t> extents;
  std::vector<std::uint8_t> bytes;
};

/// Reads a file with `dimensions` extents. Gzip is recognised by its first two bytes, whatever the
/// file is called. The extents are held against the size of the file before anything is allocated
/// for them.
/// @throws DataError naming the file, its size, what is expected and what is found: not IDX,
/// another number of dimensions, truncated, damaged, bytes behind the end
IdxArray read_idx(const std::filesystem::path& file, std::size_t dimensions);

}  // namespace starling::objective
