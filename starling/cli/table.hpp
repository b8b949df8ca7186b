// Text in columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace starling::cli {

/// Rows of cells, each column as wide as its widest cell, two blanks between columns, no blanks at
/// the end of lines.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// `text` broken between words into lines of at most `width` columns; all but the first begin with
/// `indent` blanks, which count.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

/// "1.4 MB": bytes for people, powers of ten.
std::string human_bytes(double bytes);

/// "12.3 s", "45 ms".
std::string human_seconds(double seconds);

}  // namespace starling::cli
