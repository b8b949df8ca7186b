#include "starling/cli/option_values.hpp"

#include <cmath>

#include <fmt/format.h>

#include "starling/core/text.hpp"

namespace starling::cli {

namespace {

template <class Number>
std::string toml_number(Number value) {
  std::string text = fmt::format("{}", value);  // shortest text that reads back as the same number
  if (text.find_first_of(".en") == std::string::npos) {
    text += ".0";
  }
  return text;
}

using End = RealRange::End;

bool holds(const RealRange& range, double number) {
  const bool enough =
      range.least_end == End::excluded ? number > range.least : number >= range.least;
  const bool not_too_much =
      range.most_end == End::excluded ? number < range.most : number <= range.most;
  return std::isfinite(number) && enough && not_too_much;
}

/// True if `text` is a whole number, even one that no machine word holds, above `most` or below
/// zero.
bool is_beyond(const std::string& text, std::uint64_t most) {
  const std::string digits = text.substr(text.starts_with('-') ? 1 : 0);
  const bool is_whole =
      !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  const auto number = parse_size(text);
  return is_whole && (!number || *number > most);
}

std::string expected_number(const RealRange& range, const std::string& text) {
  return fmt::format("expected a number, {}, found '{}'", describe(range), text);
}

}  // namespace

std::string describe(const WholeRange& range) {
  if (range.least == 0 && range.most == WholeRange{}.most) {
    return {};
  }
  if (range.most == WholeRange{}.most) {
    return fmt::format("at least {}", range.least);
  }
  return limits(range);
}

std::string limits(const WholeRange& range) {
  return fmt::format("{} to {}", range.least, range.most);
}

std::string describe(const RealRange& range) {
  const bool above = range.least_end == End::excluded;
  if (std::isinf(range.most)) {
    return fmt::format("{} {}", above ? "above" : "at least", range.least);
  }
  const char* below = range.most_end == End::excluded ? "below " : "";
  return fmt::format("{}{} to {}{}", above ? "above " : "", range.least, below, range.most);
}

std::optional<std::uint64_t> read_whole(const std::string& text,
                                        const WholeRange& range,
                                        std::string& wrong) {
  const auto number = parse_size(text);
  if (number && *number >= range.least && *number <= range.most) {
    return number;
  }
  const std::string words = is_beyond(text, range.most) ? limits(range) : describe(range);
  wrong = fmt::format(
      "expected a whole number{}{}, found '{}'", words.empty() ? "" : ", ", words, text);
  return std::nullopt;
}

std::optional<double> read_real(const std::string& text,
                                const RealRange& range,
                                std::string& wrong) {
  const auto number = parse_double(text);
  if (number && holds(range, *number)) {
    return number;
  }
  wrong = expected_number(range, text);
  return std::nullopt;
}

std::optional<float> read_single(const std::string& text,
                                 const RealRange& range,
                                 std::string& wrong) {
  const auto number = read_real(text, range, wrong);
  if (!number) {
    return std::nullopt;
  }
  const auto single = static_cast<float>(*number);
  if (holds(range, single)) {
    return single;
  }
  wrong =
      fmt::format("{}, which is {} in 32 bits", expected_number(range, text), toml_number(single));
  return std::nullopt;
}

std::vector<double> read_reals(const std::string& text,
                               const RealRange& range,
                               std::string& wrong) {
  std::vector<double> numbers;
  for (const std::string& part : split(text, ',')) {
    const auto number = read_real(part, range, wrong);
    if (!number) {
      wrong = fmt::format("expected numbers, each {}, with commas between them, found '{}'{}",
                          describe(range),
                          part,
                          part == text ? "" : " in '" + text + "'");
      return {};
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::string toml_real(double value) {
  return toml_number(value);
}

std::string toml_real(float value) {
  return toml_number(value);
}

std::string toml_text(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      literal += '\\';
      literal += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      literal += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      literal += c;
    }
  }
  return literal + "\"";
}

}  // namespace starling::cli
