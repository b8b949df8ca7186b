#include "starling/cli/bench_sizes.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "starling/core/byte_size.hpp"

namespace starling::cli {

namespace {

constexpr std::string_view kTo = "..";

std::optional<std::size_t> read_size(std::string_view text) {
  const auto bytes = parse_bytes(text);
  return bytes && *bytes > 0 && *bytes <= kBenchBytesMax ? bytes : std::nullopt;
}

/// Appends what `text` stands for. @return whether it stands for anything
bool append_sizes(std::string_view text, std::vector<std::size_t>& sizes) {
  const std::size_t dots = text.find(kTo);
  const auto first = read_size(text.substr(0, dots));
  const auto last =
      dots == std::string_view::npos ? first : read_size(text.substr(dots + kTo.size()));
  if (!first || !last || *last < *first) {
    return false;
  }
  for (std::size_t bytes = *first; bytes < *last; bytes *= kBenchSizeStep) {
    sizes.push_back(bytes);
  }
  sizes.push_back(*last);
  return true;
}

}  // namespace

std::vector<std::size_t> read_sizes(std::span<const std::string> texts, std::string& wrong) {
  std::vector<std::size_t> sizes;
  for (const std::string& text : texts) {
    if (!append_sizes(text, sizes)) {
      wrong =
          fmt::format("expected sizes like 64KiB, or ranges like 1KiB..64MiB, up to {}, found '{}'",
                      bytes_text(kBenchBytesMax),
                      text);
      return {};
    }
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace starling::cli
