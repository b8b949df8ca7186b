#include "starling/objective/spec.hpp"

#include <algorithm>
#include <sstream>

#include "starling/core/error.hpp"
#include "starling/core/text.hpp"

namespace starling::objective {

namespace {

std::string words(const Spec::Limits& limits) {
  std::ostringstream text;
  text << "at least " << limits.least;
  if (limits.most < std::numeric_limits<double>::max()) {
    text << ", at most " << limits.most;
  }
  return text.str();
}

/// "samples=1,d=0": what stands behind the comma was to be an argument of its own.
std::string comma_hint(const std::string& key, std::string value) {
  const std::size_t comma = value.find(',');
  if (comma == std::string::npos) {
    return {};
  }
  value[comma] = ':';
  return "; arguments are separated by colons: " + key + "=" + value;
}

}  // namespace

Spec::Spec(std::string_view part, std::string_view text)
    : part_(part), text_(text), arguments_(split(text, ':')) {
  name_ = arguments_.front();
  arguments_.erase(arguments_.begin());
}

double Spec::number(const std::string& key, double fallback, const Limits& limits) {
  const auto value = take_value(key);
  return value ? to_number(key, *value, limits) : fallback;
}

std::size_t Spec::count(const std::string& key, std::size_t fallback, const Limits& limits) {
  const auto value = take_value(key);
  return value ? to_count(key, *value, limits) : fallback;
}

bool Spec::flag(const std::string& word) {
  known_.push_back(word);
  const auto found = std::find(arguments_.begin(), arguments_.end(), word);
  if (found == arguments_.end()) {
    return false;
  }
  arguments_.erase(found);  // a second one stays, to be refused
  return true;
}

std::string Spec::positional(const std::string& meaning) {
  const auto bare = std::find_if(arguments_.begin(), arguments_.end(), [](const std::string& a) {
    return a.find('=') == std::string::npos;
  });
  if (bare == arguments_.end() || bare->empty()) {
    refuse("the " + meaning + " is missing, expected " + name_ + ":" + meaning);
  }
  std::string value = *bare;
  arguments_.erase(bare);
  return value;
}

double Spec::positional_number(const std::string& meaning, const Limits& limits) {
  return to_number(meaning, positional(meaning), limits);
}

std::size_t Spec::positional_count(const std::string& meaning, const Limits& limits) {
  return to_count(meaning, positional(meaning), limits);
}

void Spec::finish() const {
  if (arguments_.empty()) {
    return;
  }
  const std::string& left = arguments_.front();
  const std::string word = left.substr(0, left.find('='));
  const bool twice = std::find(known_.begin(), known_.end(), word) != known_.end();
  if (twice) {
    refuse("argument '" + word + "' stands there twice or in the wrong form");
  }
  refuse("there is no argument '" + word + "'" +
         (known_.empty() ? "; it takes no more" : suggestion(word, known_)));
}

void Spec::refuse(const std::string& what) const {
  throw ConfigError(part_ + " '" + text_ + "': " + what);
}

std::optional<std::string> Spec::take_value(const std::string& key) {
  known_.push_back(key);
  const std::string prefix = key + "=";
  const auto found = std::find_if(arguments_.begin(), arguments_.end(), [&](const std::string& a) {
    return a.compare(0, prefix.size(), prefix) == 0;
  });
  if (found == arguments_.end()) {
    return std::nullopt;
  }
  std::string value = found->substr(prefix.size());
  arguments_.erase(found);
  return value;
}

double Spec::to_number(const std::string& key,
                       const std::string& value,
                       const Limits& limits) const {
  const auto number = parse_double(value);
  if (number && *number >= limits.least && *number <= limits.most) {
    return *number;
  }
  refuse(key + " is '" + value + "', expected a number " + words(limits) + comma_hint(key, value));
}

std::size_t Spec::to_count(const std::string& key,
                           const std::string& value,
                           const Limits& limits) const {
  const auto number = parse_size(value);
  const double as_double = number ? static_cast<double>(*number) : -1.0;
  if (number && as_double >= limits.least && as_double <= limits.most) {
    return *number;
  }
  refuse(key + " is '" + value + "', expected a whole number " + words(limits) +
         comma_hint(key, value));
}

}  // namespace starling::objective
