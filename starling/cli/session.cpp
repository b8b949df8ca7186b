#include "starling/cli/session.hpp"

#include <cerrno>
#include <cstring>
#include <exception>
#include <new>

#include <fmt/format.h>
#include <unistd.h>

#include "starling/cli/config_file.hpp"
#include "starling/cli/output.hpp"
#include "starling/core/error.hpp"

namespace starling::cli {

namespace {

constexpr Duration kForEver{-1};

ExitCode refuse(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += printable(finding.line()) + "\n";
  }
  write_all(STDERR_FILENO, text, kForEver);
  return ExitCode::configuration;
}

ExitCode fail(Session& session, ExitCode code, const std::string& text) {
  session.console.clear();
  if (!session.log) {
    session.log.emplace(session.console, ShowSettings{}, 1);
  }
  session.log->error(text);
  return code;
}

}  // namespace

Configured configure(const OptionSet& options, const CommandLine& line, Session& session) {
  const Reading file = line.config.empty() ? Reading{} : read_config_file(options, line.config);
  Configured configured{.effective = resolve(options, file, line.given)};
  configured.effective.config_file = line.config;
  const Effective& effective = configured.effective;
  if (!effective.findings.empty()) {
    configured.ended = refuse(effective.findings);
  } else if (line.print_config) {
    if (write_all(STDOUT_FILENO, to_toml(effective), kForEver) == Written::failed) {
      throw StorageError(
          fmt::format("standard output: cannot write the configuration: {}", std::strerror(errno)));
    }
    configured.ended = ExitCode::ok;
  } else {
    session.log.emplace(
        session.console, effective.settings.show, effective.settings.experiment.peers);
  }
  return configured;
}

ExitCode print_result(const std::string& text, Duration patience, Log& log) {
  const Written written = write_all(STDOUT_FILENO, text, patience);
  if (written != Written::failed) {
    return ExitCode::ok;
  }
  log.error(fmt::format("standard output: cannot write the summary: {}", std::strerror(errno)));
  return ExitCode::storage;
}

ExitCode report_errors(Session& session,
                       const std::string& on_little_memory,
                       FunctionRef<ExitCode()> work) {
  try {
    return work();
  } catch (const Error& error) {
    return fail(session, error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(session, ExitCode::internal, "out of memory: " + on_little_memory);
  } catch (const std::exception& error) {
    return fail(session,
                ExitCode::internal,
                fmt::format("internal error, please report it: {}", error.what()));
  }
}

}  // namespace starling::cli
