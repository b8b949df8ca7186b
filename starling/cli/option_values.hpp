// The kinds of values options have: each fills in how a value is checked, stored and shown.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "starling/cli/option.hpp"
#include "starling/core/text.hpp"

namespace starling::cli {

/// Whole numbers least .. most. TOML integers are signed, hence the default limit.
struct WholeRange {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::int64_t>::max();
};

/// Finite numbers from `least` to `most`; either end may be left out.
struct RealRange {
  enum class End : std::uint8_t { included, excluded };

  double least = 0.0;
  double most = std::numeric_limits<double>::infinity();
  End least_end = End::included;
  End most_end = End::included;
};

/// A name of an enumerator.
template <class Enum>
struct Choice {
  std::string name;
  Enum value;
};

/// Enumerators that know their names.
template <class Enum>
std::vector<Choice<Enum>> named(std::initializer_list<Enum> values) {
  std::vector<Choice<Enum>> choices;
  for (const Enum value : values) {
    choices.push_back({to_string(value), value});
  }
  return choices;
}

/// "1 to 8", "at least 1"; empty if every whole number will do.
std::string describe(const WholeRange& range);

/// "1 to 8", also where the upper end is only what a whole number can be.
std::string limits(const WholeRange& range);

std::string describe(const RealRange& range);

/// The number in `text`, or nothing and `wrong` says why.
std::optional<std::uint64_t> read_whole(const std::string& text,
                                        const WholeRange& range,
                                        std::string& wrong);
std::optional<double> read_real(const std::string& text,
                                const RealRange& range,
                                std::string& wrong);

/// The same for an option that keeps a float: what is judged is the number that it becomes.
std::optional<float> read_single(const std::string& text,
                                 const RealRange& range,
                                 std::string& wrong);

/// Numbers between commas. `wrong` names the one that is none.
std::vector<double> read_reals(const std::string& text, const RealRange& range, std::string& wrong);

/// TOML literals, independent of the locale.
std::string toml_real(double value);
std::string toml_real(float value);
std::string toml_text(std::string_view text);

namespace detail {

template <class T>
struct Field {
  using Value = T;

  static bool is_set(const T&) { return true; }

  static const T& get(const T& field) { return field; }
};

template <class T>
struct Field<std::optional<T>> {
  using Value = T;

  static bool is_set(const std::optional<T>& field) { return field.has_value(); }

  static const T& get(const std::optional<T>& field) { return *field; }
};

template <class Access>
using FieldOf = Field<std::remove_cvref_t<std::invoke_result_t<Access, Settings&>>>;

}  // namespace detail

/// In all of these, `access` is a generic lambda from Settings& to the field (T or optional<T>).
/// A range that `option` brings along is shown instead of the one described here.
template <class Access>
Option whole_number(Option option, WholeRange range, Access access) {
  using Field = detail::FieldOf<Access>;
  option.kind = ValueKind::whole;
  if (option.range.empty()) {
    option.range = describe(range);
  }
  option.set = [access, range](Settings& settings, const std::string& text) {
    std::string wrong;
    if (const auto number = read_whole(text, range, wrong)) {
      access(settings) = static_cast<typename Field::Value>(*number);
    }
    return wrong;
  };
  option.show = [access](const Settings& settings) {
    const auto& field = access(settings);
    return Field::is_set(field) ? std::to_string(Field::get(field)) : std::string();
  };
  return option;
}

template <class Access>
Option real_number(Option option, RealRange range, Access access) {
  using Field = detail::FieldOf<Access>;
  option.kind = ValueKind::real;
  option.range = describe(range);
  option.set = [access, range](Settings& settings, const std::string& text) {
    std::string wrong;
    if constexpr (std::same_as<typename Field::Value, float>) {
      access(settings) = read_single(text, range, wrong).value_or(access(settings));
    } else if (const auto number = read_real(text, range, wrong)) {
      access(settings) = *number;
    }
    return wrong;
  };
  option.show = [access](const Settings& settings) {
    const auto& field = access(settings);
    return Field::is_set(field) ? toml_real(Field::get(field)) : std::string();
  };
  return option;
}

template <class Access>
Option real_list(Option option, RealRange range, Access access) {
  option.kind = ValueKind::reals;
  option.range = describe(range);
  option.set = [access, range](Settings& settings, const std::string& text) {
    std::string wrong;
    std::vector<double> numbers = read_reals(text, range, wrong);
    if (wrong.empty()) {
      access(settings) = std::move(numbers);
    }
    return wrong;
  };
  option.show = [access](const Settings& settings) {
    std::string list;
    for (const double number : access(settings)) {
      list += (list.empty() ? "" : ", ") + toml_real(number);
    }
    return list.empty() ? list : "[" + list + "]";
  };
  return option;
}

/// Text that others check: names with arguments, paths. An empty text is refused: leave the option
/// out.
template <class Access>
Option text(Option option, Access access) {
  option.kind = ValueKind::text;
  option.set = [access](Settings& settings, const std::string& value) {
    if (value.empty()) {
      return std::string("is empty; leave it out instead");
    }
    access(settings) = value;
    return std::string();
  };
  option.show = [access](const Settings& settings) {
    const auto& field = access(settings);
    if (field.empty()) {
      return std::string();
    }
    if constexpr (std::same_as<std::remove_cvref_t<decltype(field)>, std::filesystem::path>) {
      return toml_text(field.string());
    } else {
      return toml_text(field);
    }
  };
  return option;
}

template <class Enum, class Access>
Option choice(Option option, std::vector<Choice<Enum>> choices, Access access) {
  option.kind = ValueKind::text;
  std::vector<std::string> names;
  for (const auto& one : choices) {
    option.range += (names.empty() ? "" : " | ") + one.name;
    names.push_back(one.name);
  }
  option.set = [access, choices, names](Settings& settings, const std::string& value) {
    for (const auto& one : choices) {
      if (one.name == value) {
        access(settings) = one.value;
        return std::string();
      }
    }
    return "'" + value + "' is unknown" + suggestion(value, names);
  };
  option.show = [access, choices = std::move(choices)](const Settings& settings) {
    for (const auto& one : choices) {
      if (one.value == access(settings)) {
        return toml_text(one.name);
      }
    }
    return std::string();
  };
  return option;
}

template <class Access>
Option flag(Option option, Access access) {
  option.kind = ValueKind::flag;
  option.range = "true | false";
  option.set = [access](Settings& settings, const std::string& value) {
    if (value != "true" && value != "false") {
      return "expected true or false, found '" + value + "'";
    }
    access(settings) = value == "true";
    return std::string();
  };
  option.show = [access](const Settings& settings) {
    return std::string(access(settings) ? "true" : "false");
  };
  return option;
}

}  // namespace starling::cli
