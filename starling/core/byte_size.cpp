#include "starling/core/byte_size.hpp"

#include <array>
#include <limits>
#include <utility>

#include "starling/core/text.hpp"

namespace starling {

namespace {

constexpr std::array<std::pair<std::string_view, std::size_t>, 4> kUnits{{
    {"GiB", std::size_t{1} << 30U},
    {"MiB", std::size_t{1} << 20U},
    {"KiB", std::size_t{1} << 10U},
    {"B", 1},
}};

}  // namespace

std::optional<std::size_t> parse_bytes(std::string_view text) {
  std::size_t unit = 1;
  for (const auto& [name, size] : kUnits) {
    if (text.ends_with(name)) {
      unit = size;
      text.remove_suffix(name.size());
      while (text.ends_with(' ')) {
        text.remove_suffix(1);
      }
      break;
    }
  }
  const std::optional<std::size_t> count = parse_size(text);
  if (!count || *count > std::numeric_limits<std::size_t>::max() / unit) {
    return std::nullopt;
  }
  return *count * unit;
}

std::string bytes_text(std::size_t bytes) {
  for (const auto& [name, size] : kUnits) {
    if (bytes >= size && bytes % size == 0) {
      return std::to_string(bytes / size) + std::string(name);
    }
  }
  return "0B";
}

}  // namespace starling
