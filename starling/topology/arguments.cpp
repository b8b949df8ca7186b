#include "starling/topology/arguments.hpp"

#include <algorithm>

#include "starling/core/text.hpp"

namespace starling::topology {

Arguments::Arguments(const Request& request) : request_(request) {
  if (request.argument) {
    left_ = split(*request.argument, ':');
  }
}

std::optional<std::size_t> Arguments::count(const std::string& key) {
  const auto text = take(key);
  if (!text) {
    return std::nullopt;
  }
  const auto number = parse_size(*text);
  if (!number || *number == 0) {
    refuse(request_, "expected " + key + "=NUMBER from 1, found '" + *text + "'");
  }
  return number;
}

std::optional<double> Arguments::fraction(const std::string& key) {
  const auto text = take(key);
  if (!text) {
    return std::nullopt;
  }
  const auto number = parse_double(*text);
  if (!number || !(*number > 0.0 && *number <= 1.0)) {
    refuse(request_, "expected " + key + "=NUMBER above 0 and at most 1, found '" + *text + "'");
  }
  return number;
}

void Arguments::finish() const {
  if (left_.empty()) {
    return;
  }
  const std::string word = left_.front().substr(0, left_.front().find('='));
  const bool is_known = std::find(known_.begin(), known_.end(), word) != known_.end();
  const std::string hint =
      is_known ? ", which stands twice or without a value; write " + word + "=NUMBER once"
               : suggestion(word, known_);
  refuse(request_, "unexpected argument '" + left_.front() + "'" + hint);
}

std::optional<std::string> Arguments::take(const std::string& key) {
  known_.push_back(key);
  const std::string begin = key + "=";
  const auto found = std::find_if(left_.begin(), left_.end(), [&](const std::string& argument) {
    return argument.starts_with(begin);
  });
  if (found == left_.end()) {
    return std::nullopt;
  }
  std::string value = found->substr(begin.size());
  left_.erase(found);
  return value;
}

}  // namespace starling::topology
