// What the user has said, where, and what is wrong with it.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "starling/cli/option.hpp"

namespace starling::cli {

/// Where a value or a mistake stands. In the order people should read them.
struct Source {
  std::string name = "default";
  std::size_t line = kNowhere;  ///< of a file, from 1

  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] std::string text() const {
    return line == kNowhere ? name : name + ":" + std::to_string(line);
  }
};

inline const Source kCommandLine{"command line", Source::kNowhere};

/// A value the user gave to an option, as text, unchecked.
struct Assignment {
  const Option* option = nullptr;
  std::string value;
  Source source;
};

/// One mistake. All of them are shown at once.
struct Finding {
  Source source;
  std::string key;  ///< empty if it is about no key
  std::string what;

  /// "run.toml:4: batch: expected a whole number, ..."
  [[nodiscard]] std::string line() const {
    return source.text() + ": " + (key.empty() ? "" : key + ": ") + what;
  }
};

/// What a source of settings holds.
struct Reading {
  std::vector<Assignment> assignments;
  std::vector<Finding> findings;
};

}  // namespace starling::cli
