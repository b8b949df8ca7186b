#include "starling/cli/table.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "starling/core/text.hpp"

namespace starling::cli {

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t k = 0; k < row.size(); ++k) {
      widths[k] = std::max(widths[k], row[k].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      line += fmt::format("{:<{}}", row[k], widths[k] + 2);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  for (const std::string& word : split(text, ' ')) {
    if (column > indent && column + 1 + word.size() > width) {
      result += '\n';
      result.append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

std::string human_bytes(double bytes) {
  constexpr std::array kUnits{"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 1000.0 && unit + 1 < kUnits.size()) {
    bytes /= 1000.0;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

std::string human_seconds(double seconds) {
  if (seconds >= 1.0 || seconds <= 0.0) {
    return fmt::format("{:.2f} s", seconds);
  }
  return seconds >= 1e-3 ? fmt::format("{:.3g} ms", seconds * 1e3)
                         : fmt::format("{:.3g} us", seconds * 1e6);
}

}  // namespace starling::cli
