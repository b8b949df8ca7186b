#include "starling/cli/config_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "starling/cli/option_values.hpp"
#include "starling/core/text.hpp"

namespace starling::cli {

namespace {

constexpr std::size_t kMostBytes = 1 << 20;   // a configuration is a page, not a data set
constexpr std::size_t kMostDuplicates = 100;  // reported at once

using Line = std::size_t;

/// Collects what a file holds.
class Reader {
 public:
  Reader(const OptionSet& options, std::string name) : options_(options), name_(std::move(name)) {}

  void find(Line line, std::string key, std::string what) {
    reading_.findings.push_back({{name_, line}, std::move(key), std::move(what)});
  }

  void read(const toml::table& root);

  Reading finish() { return std::move(reading_); }

 private:
  void read_section(const std::string& section, const toml::table& table);
  void read_key(const std::string& section, const toml::key& key, const toml::node& node);

  const OptionSet& options_;
  std::string name_;
  Reading reading_;
};

std::vector<std::string> sections_of(const OptionSet& options) {
  std::vector<std::string> names;
  for (const Option& option : options.all()) {
    if (names.empty() || names.back() != option.section) {
      names.push_back(option.section);
    }
  }
  return names;
}

std::string expected_type(ValueKind kind) {
  switch (kind) {
    case ValueKind::whole:
      return "a whole number";
    case ValueKind::real:
      return "a number";
    case ValueKind::text:
      return "a string";
    case ValueKind::flag:
      return "true or false";
    case ValueKind::reals:
      return "a list of numbers";
    case ValueKind::texts:
      return "a list of strings";
  }
  return {};
}

std::string found_value(const toml::node& node) {
  if (const auto* string = node.as_string()) {
    return "the string " + toml_text(string->get());
  }
  if (const auto* whole = node.as_integer()) {
    return fmt::format("{}", whole->get());
  }
  if (const auto* real = node.as_floating_point()) {
    return toml_real(real->get());
  }
  if (const auto* flag = node.as_boolean()) {
    return flag->get() ? "true" : "false";
  }
  if (node.is_array()) {
    return "a list";
  }
  if (node.is_table()) {
    return "a section";
  }
  return "a date or time";
}

/// The value as it would stand on the command line; nothing if its type does not fit.
std::optional<std::string> scalar_text(const toml::node& node, ValueKind kind) {
  const auto* whole = node.as_integer();
  const auto* real = node.as_floating_point();
  switch (kind) {
    case ValueKind::whole:
      if (whole != nullptr) {
        return fmt::format("{}", whole->get());
      }
      break;
    case ValueKind::real:
    case ValueKind::reals:
      if (whole != nullptr) {
        return fmt::format("{}", whole->get());
      }
      if (real != nullptr) {
        return fmt::format("{}", real->get());
      }
      break;
    case ValueKind::text:
    case ValueKind::texts:
      if (const auto* string = node.as_string()) {
        return string->get();
      }
      break;
    case ValueKind::flag:
      if (const auto* flag = node.as_boolean()) {
        return flag->get() ? "true" : "false";
      }
      break;
  }
  return std::nullopt;
}

std::optional<std::string> list_text(const toml::array& array, ValueKind kind) {
  std::string text;
  for (const toml::node& element : array) {
    const auto part = scalar_text(element, kind);
    if (!part) {
      return std::nullopt;
    }
    text += (text.empty() ? "" : ",") + *part;
  }
  return text;
}

std::optional<std::string> value_text(const toml::node& node, ValueKind kind) {
  const bool is_list = kind == ValueKind::reals || kind == ValueKind::texts;
  const auto* array = node.as_array();
  return is_list && array != nullptr ? list_text(*array, kind) : scalar_text(node, kind);
}

void Reader::read(const toml::table& root) {
  for (const auto& [key, node] : root) {
    const std::string name(key.str());
    const auto names = sections_of(options_);
    if (const toml::table* section = node.as_table()) {
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        read_section(name, *section);
      } else {
        find(
            key.source().begin.line, "[" + name + "]", "unknown section" + suggestion(name, names));
      }
    } else {
      read_key("", key, node);
    }
  }
}

void Reader::read_section(const std::string& section, const toml::table& table) {
  for (const auto& [key, node] : table) {
    read_key(section, key, node);
  }
}

void Reader::read_key(const std::string& section, const toml::key& key, const toml::node& node) {
  const std::string name(key.str());
  const Line line = key.source().begin.line;
  const Option* option = options_.find(name);
  if (option == nullptr) {
    return find(line, name, "unknown key" + options_.suggest(name));
  }
  if (option->section != section) {
    const std::string where =
        section.empty() ? "stands before any section" : "is in [" + section + "]";
    return find(line, name, where + ", but belongs in [" + option->section + "]");
  }
  const auto text = value_text(node, option->kind);
  if (!text) {
    return find(
        line, name, "expected " + expected_type(option->kind) + ", found " + found_value(node));
  }
  reading_.assignments.push_back({option, *text, {name_, line}});
}

/// Takes line `line` (from 1) out of `text`, leaving it empty. @return what stood there
std::string blank_line(std::string& text, Line line) {
  std::size_t begin = 0;
  for (Line at = 1; at < line && begin != std::string::npos; ++at) {
    begin = text.find('\n', begin);
    if (begin != std::string::npos) {
      ++begin;
    }
  }
  if (begin == std::string::npos || begin >= text.size()) {
    return {};
  }
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  std::string line_text = text.substr(begin, end - begin);
  text.erase(begin, end - begin);
  return line_text;
}

/// The key of a line `key = value`; nothing for anything else.
std::optional<std::string> key_of(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  const std::size_t equals = line.find('=');
  if (begin == std::string::npos || equals == std::string::npos || line[begin] == '[') {
    return std::nullopt;
  }
  const std::size_t end = line.find_last_not_of(" \t", equals == 0 ? 0 : equals - 1);
  return line.substr(begin, end - begin + 1);
}

}  // namespace

Reading read_config(const OptionSet& options, const std::string& name, std::string_view text) {
  Reader reader(options, name);
  std::string rest(text);
  // The parser stops at its first error. A key given twice is no reason to hide the other mistakes:
  // its line is taken out and the rest is read again.
  for (std::size_t attempt = 0; attempt < kMostDuplicates; ++attempt) {
    try {
      reader.read(toml::parse(rest, name));
      return reader.finish();
    } catch (const toml::parse_error& error) {
      const Line line = error.source().begin.line;
      const std::string what(error.description());
      const bool twice = what.find("redefine") != std::string::npos;
      const auto key = twice ? key_of(blank_line(rest, line)) : std::nullopt;
      if (!key) {
        reader.find(line, "", what + " (expected TOML: sections [name] with lines key = value)");
        return reader.finish();
      }
      reader.find(line, *key, "is given twice in its section");
    }
  }
  return reader.finish();
}

Reading read_config_file(const OptionSet& options, const std::filesystem::path& path) {
  const auto refuse = [&](std::string what) {
    return Reading{{}, {{{.name = path.string()}, "", std::move(what)}}};
  };
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    const int reason = file ? EISDIR : errno;
    return refuse(fmt::format("cannot read the configuration: {}", std::strerror(reason)));
  }
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMostBytes) {
    return refuse("is larger than 1 MiB: not a configuration");
  }
  return read_config(options, path.string(), text);
}

}  // namespace starling::cli
