// Small helpers for names people type.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

/// The only candidate that `word` is the beginning of; else the one with the least edit distance,
/// if it is close enough to be a slip of the fingers (at most a third of the letters, at least
/// two); nothing otherwise.
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
