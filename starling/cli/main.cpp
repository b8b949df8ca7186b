// The program.
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "starling/cli/average_command.hpp"
#include "starling/cli/bench_command.hpp"
#include "starling/cli/command_line.hpp"
#include "starling/cli/help.hpp"
#include "starling/cli/list_command.hpp"
#include "starling/cli/log.hpp"
#include "starling/cli/output.hpp"
#include "starling/cli/train_command.hpp"
#include "starling/core/exit_code.hpp"

namespace {

using starling::Duration;
using starling::ExitCode;
using starling::cli::Command;
using starling::cli::CommandLine;
using starling::cli::Written;

constexpr Duration kForEver{-1};

ExitCode print(const std::string& text) {
  if (starling::cli::write_all(STDOUT_FILENO, text, kForEver) != Written::failed) {
    return ExitCode::ok;
  }
  const std::string reason = std::strerror(errno);
  starling::cli::write_all(
      STDERR_FILENO, "starling: error: standard output: cannot write: " + reason + "\n", kForEver);
  return ExitCode::storage;
}

ExitCode refuse(const CommandLine& line) {
  std::string text;
  for (const starling::cli::Finding& finding : line.given.findings) {
    text += starling::cli::printable(finding.line()) + "\n";
  }
  starling::cli::write_all(STDERR_FILENO, text, kForEver);
  return ExitCode::configuration;
}

ExitCode show_help(const CommandLine& line) {
  switch (line.help_for) {
    case Command::train:
      return print(starling::cli::train_help());
    case Command::average:
      return print(starling::cli::average_help());
    case Command::bench:
      return print(starling::cli::bench_help());
    case Command::list:
      return print(starling::cli::list_help());
    default:
      return print(starling::cli::program_help());
  }
}

ExitCode run(const CommandLine& line) {
  if (line.command == Command::train) {
    return starling::cli::run_train(line);
  }
  if (line.command == Command::average) {
    return starling::cli::run_average(line);
  }
  if (line.command == Command::bench) {
    return starling::cli::run_bench(line);
  }
  if (!line.given.findings.empty()) {
    return refuse(line);
  }
  switch (line.command) {
    case Command::list:
      return print(starling::cli::list_text(line));
    case Command::version:
      return print(starling::cli::version_text());
    default:
      return show_help(line);
  }
}

}  // namespace

int main(int argc, char** argv) {
  starling::cli::prepare_standard_streams();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  return static_cast<int>(run(starling::cli::parse_command_line(words)));
}
