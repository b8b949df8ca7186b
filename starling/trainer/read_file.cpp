#include "starling/trainer/read_file.hpp"

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <string>
#include <system_error>

#include "starling/core/error.hpp"

namespace starling::trainer {

namespace fs = std::filesystem;

std::vector<std::byte> read_file(const fs::path& path) {
  std::error_code unknown;  // then it cannot be opened either
  if (fs::exists(path, unknown) && !fs::is_regular_file(path, unknown)) {
    throw DataError(path.string() + ": expected a regular file, found something else");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw DataError(path.string() + ": cannot be read: " + std::generic_category().message(errno));
  }
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) {
    throw DataError(path.string() + ": cannot be read: " + error.message());
  }
  std::vector<std::byte> content(size);
  file.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(size));
  if (static_cast<std::uintmax_t>(file.gcount()) != size) {
    throw DataError(path.string() + ": expected " + std::to_string(size) + " bytes, read " +
                    std::to_string(file.gcount()) + "; is it being written?");
  }
  return content;
}

}  // namespace starling::trainer
