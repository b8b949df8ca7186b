// Small helpers for names people type.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

/// Which of the candidates was meant. If exactly one begins with `word`, and `word` has at least
/// three letters, that one. Else the one with the least edit distance, the first of equal ones, if
/// that is a slip of the fingers: at most two edits, or a third as many as `word` has letters if
/// that is more; and fewer than either has letters, or nothing would be left of one. Else nothing.
std::optional<std::string> nearest_name(std::string_view word,
                                        std::span<const std::string> candidates);

/// "; did you mean 'exponential'?", "; did you mean 'skip-peer' or 'skip-round'?" for a beginning
/// of both, or, with nothing near, "; one of: a, b, c".
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

/// Parts of `text` between separators; "a::b" gives "a", "", "b".
std::vector<std::string> split(std::string_view text, char separator);

/// The whole of `text` as a number, independent of the locale; nothing if anything else is in it.
std::optional<double> parse_double(std::string_view text);
std::optional<std::size_t> parse_size(std::string_view text);

}  // namespace starling
