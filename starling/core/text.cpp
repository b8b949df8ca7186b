#include "starling/core/text.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace starling {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stopped != end || text.empty()) {
    return std::nullopt;
  }
  return number;
}

/// The candidates that `word` is the beginning of, if it is long enough to mean one.
std::vector<std::string> names_begun_by(std::string_view word,
                                        std::span<const std::string> candidates) {
  constexpr std::size_t kLeastLetters = 3;
  std::vector<std::string> begun;
  for (const std::string& candidate : candidates) {
    if (word.size() >= kLeastLetters && candidate.starts_with(word)) {
      begun.push_back(candidate);
    }
  }
  return begun;
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view word,
                                        std::span<const std::string> candidates) {
  if (const auto begun = names_begun_by(word, candidates); begun.size() == 1) {
    return begun.front();
  }
  const std::string* nearest = nullptr;
  // A word that shares no letter with a name is no slip of it.
  std::size_t least = std::min(word.size(), std::max<std::size_t>(2, word.size() / 3) + 1);
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      nearest = &candidate;
    }
  }
  if (nearest == nullptr) {
    return std::nullopt;
  }
  return *nearest;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  const auto begun = names_begun_by(word, candidates);
  if (begun.size() == 2) {
    return "; did you mean '" + begun[0] + "' or '" + begun[1] + "'?";
  }
  if (const auto nearest = nearest_name(word, candidates)) {
    return "; did you mean '" + *nearest + "'?";
  }
  std::string text = "; one of: ";
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    text += (k == 0 ? "" : ", ") + candidates[k];
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

std::optional<double> parse_double(std::string_view text) {
  return parse_number<double>(text);
}

std::optional<std::size_t> parse_size(std::string_view text) {
  return parse_number<std::size_t>(text);
}

}  // namespace starling
