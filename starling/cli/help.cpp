#include "starling/cli/help.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "starling/cli/command_line.hpp"
#include "starling/cli/option.hpp"
#include "starling/cli/table.hpp"
#include "starling/cli/worlds.hpp"
#include "starling/core/exit_code.hpp"

namespace starling::cli {

namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kIndent = 32;  // where explanations begin

struct ExitCodeLine {
  ExitCode code;
  const char* meaning;
};

constexpr std::array kExitCodes{
    ExitCodeLine{ExitCode::ok, "the run ended well"},
    ExitCodeLine{ExitCode::internal, "a broken contract: a bug in Starling"},
    ExitCodeLine{ExitCode::configuration, "wrong usage or configuration; nothing was run"},
    ExitCodeLine{ExitCode::data,
                 "data or a checkpoint is missing, cut short or not what it claims"},
    ExitCodeLine{ExitCode::network, "an address, a connection or a certificate"},
    ExitCodeLine{ExitCode::peers_lost, "a peer died, fell silent or refused"},
    ExitCodeLine{ExitCode::not_finite, "NaN or infinity where numbers were expected"},
    ExitCodeLine{ExitCode::storage, "disk full, or a folder that cannot be written"},
    ExitCodeLine{ExitCode::interrupted, "Ctrl-C, SIGTERM or SIGHUP"},
};

/// "  --peers N          explanation", the explanation in its own column.
std::string entry(const std::string& left, const std::string& explanation) {
  const std::string head = "  " + left;
  const std::string gap = head.size() + 2 > kIndent ? "\n" + std::string(kIndent, ' ')
                                                    : std::string(kIndent - head.size(), ' ');
  return head + gap + wrapped(explanation, kWidth, kIndent) + "\n";
}

std::string default_of(const Option& option) {
  if (!option.standard.empty()) {
    return option.standard;
  }
  static const Settings defaults;
  const std::string value = option.show(defaults);
  if (value.empty() || option.kind == ValueKind::flag) {
    return {};
  }
  return option.kind == ValueKind::text ? value.substr(1, value.size() - 2) : value;
}

/// What follows the sentence: the values allowed and the default.
std::string limits(const Option& option) {
  const std::string standard = default_of(option);
  std::string text = option.kind == ValueKind::flag ? "" : option.range;
  if (!standard.empty()) {
    text += (text.empty() ? "" : "; ") + ("default " + standard);
  }
  return text.empty() ? "" : " (" + text + ")";
}

std::string exit_code_lines() {
  std::string text;
  for (const ExitCodeLine& line : kExitCodes) {
    text += fmt::format("  {:<5}{}\n", static_cast<int>(line.code), line.meaning);
  }
  return text;
}

/// What the commands with options have in common, and their options by section.
std::string options_text(const OptionSet& options) {
  std::string text =
      R"(Every option may stand in a TOML file under its name, in the section given in brackets. The
command line goes before the file, the file before the defaults. An option that has no effect
with the others is refused.

)";
  text += entry("--config FILE", "read options from this TOML file");
  text +=
      entry("--print-config", "show the effective options and where each comes from; run nothing");
  text += entry("--help", "this text");
  std::string section;
  for (const Option& option : options.all()) {
    if (option.section != section) {
      section = option.section;
      text += "\n[" + section + "]\n";
    }
    const std::string value = option.value.empty() ? "" : " " + option.value;
    text += entry("--" + option.name + value, option.help + limits(option));
  }
  return text;
}

std::string markdown_cell(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '|' ? std::string("\\|") : std::string(1, c);
  }
  return result;
}

}  // namespace

std::string program_help() {
  return R"(Decentralized training of neural networks: peers keep their own copy of a model,
learn on their own data, and agree by talking to a few others.

Usage: starling COMMAND [OPTIONS]

Commands:
)" + entry("train", "train a model with peers on threads or in simulation") +
         entry("average", "average only: how fast the peers come to the mean, round by round") +
         entry("bench OPERATION",
               "time exact group operations beside what the cost model predicts") +
         entry("list WHAT", "show what there is to choose from") + R"(
Options:
)" + entry("--help", "this text; starling COMMAND --help for a command") +
         entry("--version", "version, and what this build can do") + R"(
Examples:
  starling train --peers 8 --algorithm sgp --model cnn --data fashion-mnist --epochs 2
  starling train --on sim --platform wan --peers 32 --model linear --steps 500 --out runs/wan
  starling train --config runs/wan/config.toml --seed 2 --out runs/wan-2
  starling average --averager moshpit-grid --peers 1024 --grid 32x32
  starling bench all-reduce --algorithm all --on sim --platform torus:4x4x4 --peers 64
  starling list topologies --peers 12

Exit codes:
)" + exit_code_lines();
}

std::string train_help() {
  return R"(Train a model with several peers and show what came of it.

Usage: starling train [OPTIONS]

)" + options_text(train_options()) +
         R"(
Examples:
  starling train --peers 4 --topology ring --model linear --steps 200 --out runs/ring
  starling train --peers 8 --algorithm gossip-pga --period 6 --model cnn --epochs 2
  starling train --on sim --platform torus:4x4 --peers 16 --faults kill:0.01 --algorithm sgp
      --on-loss continue --model linear --steps 300
  starling train --config runs/ring/config.toml --print-config

Ctrl-C once finishes the round, saves a checkpoint if there is a folder for it, and reports;
twice ends at once.

Exit codes:
)" + exit_code_lines();
}

std::string average_help() {
  return R"(Average only: peers begin with random vectors and come to their mean, round by round.

Usage: starling average [OPTIONS]

)" + options_text(average_options()) +
         R"(
Examples:
  starling average --averager moshpit-grid --peers 1024 --grid 32x32 --rounds 2
  starling average --averager exponential --peers 25 --rounds 9 --dim 1 --repeats 5
  starling average --averager moshpit-grid --peers 900 --grid 32x32 --rounds 50
      --failure-rate 0.005 --repeats 10 --json
  starling average --on sim --platform wan --averager push-sum:exponential --peers 64

Ctrl-C ends at once: there is nothing to save.

Exit codes:
)" + exit_code_lines();
}

std::string bench_help() {
  return R"(Time exact group operations, beside what the cost model predicts for them.

Usage: starling bench OPERATION [OPTIONS]

)" + options_text(bench_options()) +
         R"(
Examples:
  starling bench all-reduce --algorithm all --peers 4 --sizes 64KiB,1MiB,16MiB
  starling bench all-reduce --algorithm all --on sim --platform torus:4x4x4 --peers 64
      --sizes 1KiB..64MiB --plot torus.svg
  starling bench broadcast --algorithm binomial --root 3 --type bf16 --json
  starling bench barrier --peers 16

Rows appear as they are measured. Ctrl-C ends at once.

Exit codes:
)" + exit_code_lines();
}

std::string list_help() {
  std::string text =
      "Show what there is to choose from.\n\nUsage: starling list WHAT [OPTIONS]\n\nWHAT is one "
      "of:";
  for (const std::string& kind : list_kinds()) {
    text += " " + kind;
  }
  return text + "\n\n" + entry("--json", "as JSON") +
         entry("--peers N", "topologies: the number of peers they are judged for (default 16)") +
         entry("--help", "this text");
}

std::string version_text() {
  return fmt::format(
      "starling {} (worlds: threads{})\n", STARLING_VERSION, has_simulation() ? ", sim" : "");
}

std::string options_markdown(const OptionSet& options) {
  std::string text;
  std::string section;
  for (const Option& option : options.all()) {
    if (option.section != section) {
      section = option.section;
      text +=
          fmt::format("{}### [{}]\n\n| option | value | default | meaning |\n|---|---|---|---|\n",
                      text.empty() ? "" : "\n",
                      section);
    }
    const std::string range = option.range.empty() ? option.value : option.range;
    text += fmt::format("| `--{}` | {} | {} | {} |\n",
                        option.name,
                        option.kind == ValueKind::flag ? "" : markdown_cell(range),
                        default_of(option),
                        markdown_cell(option.help));
  }
  return text;
}

std::string exit_codes_markdown() {
  std::string text = "| code | meaning |\n|---|---|\n";
  for (const ExitCodeLine& line : kExitCodes) {
    text += fmt::format("| {} | {} |\n", static_cast<int>(line.code), line.meaning);
  }
  return text;
}

}  // namespace starling::cli
