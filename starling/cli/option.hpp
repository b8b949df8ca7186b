// The one description of an option: command line, configuration file, help and docs all read it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "starling/cli/settings.hpp"

namespace starling::cli {

/// How a value is written in TOML. On the command line all are text, lists with commas.
enum class ValueKind : std::uint8_t { whole, real, text, flag, reals, texts };

struct Option {
  std::string name;   ///< "lr-schedule": --lr-schedule and the key in its section
  std::string value;  ///< what stands for the value in help: "N", "NAME"; empty for flags
  std::string help;   ///< one sentence

  /// Words people know the option by elsewhere; only to suggest its name.
  std::vector<std::string> synonyms{};

  /// Why the option has no effect with these settings and what would take it; empty: it has one.
  /// Asked only if the user has set the option. Null: it always has an effect.
  std::function<std::string(const Settings&)> refusal{};

  std::string section{};  ///< "optimizer"; filled in by the table

  ValueKind kind = ValueKind::text;
  std::string range{};  ///< "at least 1", "threads | sim"

  /// The default in words where it depends on other options; empty: it is what show() says.
  std::string standard{};

  /// Parses and stores a value. @return what is wrong with it; empty if nothing
  std::function<std::string(Settings&, const std::string&)> set{};

  /// The value as TOML; empty if there is none.
  std::function<std::string(const Settings&)> show{};
};

struct Effective;

/// The options of one command, and what must fit together among them.
class OptionSet {
 public:
  /// Adds a finding for every value, and every combination of values, that cannot be run.
  using Check = void (*)(Effective& effective);

  /// @param bare name of the option whose value may stand without it; empty: none
  OptionSet(std::string command,
            std::vector<Option> options,
            Check check_all,
            std::string bare = {});

  /// "train".
  [[nodiscard]] const std::string& command() const noexcept { return command_; }

  /// By section, in the order of help.
  [[nodiscard]] std::span<const Option> all() const noexcept { return options_; }

  /// The option that a word without a name is the value of; null if there is none.
  [[nodiscard]] const Option* bare() const { return find(bare_); }

  /// The option with this name; null if there is none.
  [[nodiscard]] const Option* find(std::string_view name) const;

  /// "; did you mean 'lr'?" for a name that does not exist; knows synonyms and takes _ for -.
  [[nodiscard]] std::string suggest(std::string_view name) const;

  void check(Effective& effective) const { check_(effective); }

 private:
  std::string command_;
  std::vector<Option> options_;
  Check check_;
  std::string bare_;
};

const OptionSet& train_options();
const OptionSet& average_options();
const OptionSet& bench_options();

}  // namespace starling::cli
