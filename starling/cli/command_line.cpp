#include "starling/cli/command_line.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "starling/cli/option_values.hpp"
#include "starling/core/text.hpp"

namespace starling::cli {

namespace {

constexpr WholeRange kListedPeers{1, 4096};  // spectra take n^3 operations

const std::vector<std::string> kCommands{"train", "average", "bench", "list"};

/// CLI11 finds the words of every option; what they mean is Option::set's business, so that command
/// line and configuration file refuse the same things in the same words.
struct Words {
  std::map<std::string, std::vector<std::string>> values;  ///< by option name
  std::map<std::string, bool> flags;
  std::vector<std::string> plain;
  bool help = false;

  void add_value(CLI::App& app, const std::string& name) {
    app.add_option("--" + name, values[name])
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  void add_flag(CLI::App& app, const std::string& name) {
    app.add_flag("--" + name, flags[name])->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
};

void prepare(CLI::App& app, Words& words) {
  app.set_help_flag();
  app.add_flag("-h,--help", words.help);
  app.allow_extras();
}

void add_run(CLI::App& app, Words& words, const OptionSet& options) {
  prepare(app, words);
  for (const Option& option : options.all()) {
    if (option.kind == ValueKind::flag) {
      words.add_flag(app, option.name);
    } else {
      words.add_value(app, option.name);
    }
  }
  words.add_value(app, "config");
  words.add_flag(app, "print-config");
}

void add_list(CLI::App& list, Words& words) {
  prepare(list, words);
  words.add_value(list, "peers");
  words.add_flag(list, "json");
}

void find(CommandLine& line, std::string key, std::string what) {
  line.given.findings.push_back({kCommandLine, std::move(key), std::move(what)});
}

/// Options the command does not have (once each, without the value behind them) become findings.
/// @return the words that are no options
std::vector<std::string> refuse_unknown_options(
    CommandLine& line,
    const CLI::App& app,
    const std::function<std::string(const std::string&)>& suggest) {
  std::vector<std::string> plain;
  bool behind_option = false;
  for (const std::string& word : app.remaining()) {
    const bool is_option = word.size() > 1 && word[0] == '-';
    if (is_option) {
      const std::size_t begin = std::min(word.find_first_not_of('-'), word.size());
      find(line, word, "unknown option" + suggest(word.substr(begin)));
    } else if (!behind_option) {
      plain.push_back(word);
    }
    behind_option = is_option;
  }
  return plain;
}

/// "X (at least 0)": what should stand behind the option `name`.
std::string expected_value(const OptionSet& options, const std::string& name) {
  const Option* option = options.find(name);
  if (option == nullptr) {
    return "a value";
  }
  return option->value + (option->range.empty() ? "" : " (" + option->range + ")");
}

/// The value of an option that takes one; twice is a mistake, except for lists, which are joined.
/// Nothing if there is none to go on with.
std::optional<std::string> value_of(CommandLine& line,
                                    const Words& words,
                                    const OptionSet& options,
                                    const std::string& name) {
  const Option* option = options.find(name);
  const bool is_list =
      option != nullptr && (option->kind == ValueKind::reals || option->kind == ValueKind::texts);
  const std::vector<std::string>& given = words.values.at(name);
  if (given.empty()) {
    return std::nullopt;
  }
  if (given.front().starts_with("--")) {
    find(line,
         "--" + name,
         "expected " + expected_value(options, name) + ", found " + given.front());
    return std::nullopt;
  }
  std::string joined;
  for (const std::string& one : given) {
    joined += (joined.empty() ? "" : ",") + one;
  }
  if (given.size() > 1 && !is_list) {
    find(line, "--" + name, "is given twice: " + joined);
    return given.back();
  }
  return joined;
}

/// A word that is the value of `option`, whose name is left out.
void read_bare(CommandLine& line, const Option& option, const std::string& word) {
  const bool is_given = std::any_of(line.given.assignments.begin(),
                                    line.given.assignments.end(),
                                    [&](const Assignment& one) { return one.option == &option; });
  if (is_given) {
    find(line, word, "unexpected word; --" + option.name + " is given, too");
  } else {
    line.given.assignments.push_back({&option, word, kCommandLine});
  }
}

void read_run(CommandLine& line,
              const CLI::App& app,
              const Words& words,
              const OptionSet& options) {
  for (const Option& option : options.all()) {
    if (option.kind == ValueKind::flag) {
      if (!words.flags.at(option.name)) {
        continue;
      }
      line.given.assignments.push_back({&option, "true", kCommandLine});
    } else if (auto value = value_of(line, words, options, option.name)) {
      line.given.assignments.push_back({&option, std::move(*value), kCommandLine});
    }
  }
  line.config = value_of(line, words, options, "config").value_or("");
  line.print_config = words.flags.at("print-config");
  const auto plain = refuse_unknown_options(
      line, app, [&](const std::string& name) { return options.suggest(name); });
  bool takes_word = options.bare() != nullptr;
  for (const std::string& word : plain) {
    if (std::exchange(takes_word, false)) {
      read_bare(line, *options.bare(), word);
      continue;
    }
    find(
        line, word, "unexpected word; options of starling " + options.command() + " begin with --");
  }
}

void read_list(CommandLine& line, const CLI::App& app, const Words& words) {
  const std::vector<std::string> names{"peers", "json"};
  const auto plain = refuse_unknown_options(
      line, app, [&](const std::string& name) { return suggestion(name, names); });
  const auto kinds = list_kinds();
  if (plain.empty()) {
    find(line, "list", "expected what to list" + suggestion("", kinds));
  }
  for (std::size_t k = 0; k < plain.size(); ++k) {
    if (k > 0) {
      find(line, plain[k], "unexpected word; one list at a time");
    } else if (std::find(kinds.begin(), kinds.end(), plain[0]) == kinds.end()) {
      find(line, plain[0], "cannot be listed" + suggestion(plain[0], kinds));
    }
  }
  line.list_kind = plain.empty() ? "" : plain[0];
  line.list_json = words.flags.at("json");
  const auto peers = value_of(line, words, train_options(), "peers");
  if (!peers) {
    return;
  }
  std::string wrong;
  line.list_peers = read_whole(*peers, kListedPeers, wrong).value_or(line.list_peers);
  if (!wrong.empty()) {
    find(line, "--peers", wrong);
  }
  if (line.list_kind != "topologies") {
    find(line, "--peers", "has no effect on this list; starling list topologies takes it");
  }
}

void read_program(CommandLine& line, const CLI::App& program) {
  const auto plain = refuse_unknown_options(
      line, program, [](const std::string&) { return "; see starling --help"; });
  if (!plain.empty()) {
    find(line, plain[0], "unknown command" + suggestion(plain[0], kCommands));
  } else if (line.given.findings.empty()) {
    find(line, "", "expected a command: train, average, bench or list; see starling --help");
  }
}

/// An option without its value. @param complaint CLI11's words, which begin with "--lr: "
void find_missing_value(CommandLine& line, const OptionSet& options, const std::string& complaint) {
  const std::string word = complaint.substr(0, complaint.find(':'));
  const std::size_t begin = std::min(word.find_first_not_of('-'), word.size());
  find(line, word, "expected " + expected_value(options, word.substr(begin)) + ", found nothing");
}

/// Words in the order CLI11 wants (last first), with "--name=value" in two: it would take the next
/// word for the value of "--name=".
std::vector<std::string> reversed(std::span<const std::string> words) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (word.starts_with("--") && equals != std::string::npos) {
      result.push_back(word.substr(0, equals));
      result.push_back(word.substr(equals + 1));
    } else {
      result.push_back(word);
    }
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace

std::span<const std::string> list_kinds() {
  static const std::vector<std::string> kinds{"algorithms",
                                              "topologies",
                                              "collectives",
                                              "averagers",
                                              "mixings",
                                              "codecs",
                                              "models",
                                              "data",
                                              "platforms"};
  return kinds;
}

CommandLine parse_command_line(std::span<const std::string> words) {
  CommandLine line;
  CLI::App program;
  Words program_words;
  Words train_words;
  Words average_words;
  Words bench_words;
  Words list_words;
  prepare(program, program_words);
  program_words.add_flag(program, "version");
  CLI::App& train = *program.add_subcommand(train_options().command());
  CLI::App& average = *program.add_subcommand(average_options().command());
  CLI::App& bench = *program.add_subcommand(bench_options().command());
  CLI::App& list = *program.add_subcommand("list");
  add_run(train, train_words, train_options());
  add_run(average, average_words, average_options());
  add_run(bench, bench_words, bench_options());
  add_list(list, list_words);
  try {
    program.parse(reversed(words));
  } catch (const CLI::ArgumentMismatch& error) {
    find_missing_value(line,
                       average.parsed() ? average_options()
                       : bench.parsed() ? bench_options()
                                        : train_options(),
                       error.what());
    return line;
  } catch (const CLI::ParseError& error) {
    find(line, "", error.what());
    return line;
  }
  line.command = train.parsed()     ? Command::train
                 : average.parsed() ? Command::average
                 : bench.parsed()   ? Command::bench
                 : list.parsed()    ? Command::list
                                    : Command::help;
  if (program_words.help || train_words.help || average_words.help || bench_words.help ||
      list_words.help) {
    line.help_for = std::exchange(line.command, Command::help);
  } else if (program_words.flags.at("version")) {
    line.command = Command::version;
  } else if (line.command == Command::train) {
    read_run(line, train, train_words, train_options());
  } else if (line.command == Command::average) {
    read_run(line, average, average_words, average_options());
  } else if (line.command == Command::bench) {
    read_run(line, bench, bench_words, bench_options());
  } else if (line.command == Command::list) {
    read_list(line, list, list_words);
  } else {
    read_program(line, program);
  }
  return line;
}

}  // namespace starling::cli
