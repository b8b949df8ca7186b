#include "starling/cli/train_command.hpp"

#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include "starling/cli/config_file.hpp"
#include "starling/cli/console.hpp"
#include "starling/cli/effective.hpp"
#include "starling/cli/log.hpp"
#include "starling/cli/output.hpp"
#include "starling/cli/progress.hpp"
#include "starling/cli/run_folder.hpp"
#include "starling/cli/signals.hpp"
#include "starling/cli/summary_table.hpp"
#include "starling/cli/worlds.hpp"
#include "starling/core/error.hpp"
#include "starling/trainer/train.hpp"

namespace starling::cli {

namespace {

constexpr Duration kForEver{-1};
constexpr Duration kPatienceWhenInterrupted = std::chrono::seconds(2);

/// What people see of a run while it lasts.
class Display final : public Observer {
 public:
  Display(Log& log, Progress* progress) : log_(log), progress_(progress) {}

  void on_event(const Event& event) override {
    const auto* done = std::get_if<StepDone>(&event.what);
    if (done != nullptr && progress_ != nullptr) {
      progress_->on_step(*done);
    }
    log_.on_event(event);
  }

 private:
  Log& log_;
  Progress* progress_;  // null if nobody wants to see it
};

ExitCode refuse(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += printable(finding.line()) + "\n";
  }
  write_all(STDERR_FILENO, text, kForEver);
  return ExitCode::configuration;
}

std::size_t cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool known = ::sched_getaffinity(0, sizeof set, &set) == 0;
  return known ? static_cast<std::size_t>(CPU_COUNT(&set)) : 1;
}

/// Peers on threads compute at the same time; virtual time does not care.
void warn_about_cores(const Settings& settings, Log& log) {
  const std::size_t peers = settings.experiment.peers;
  const std::size_t available = cores();
  if (settings.world.on != WorldKind::threads || peers <= available) {
    return;
  }
  log.warning(
      fmt::format("{} peers share {} {}: expect a step to take about {:.1f} times as long as with "
                  "a core for each",
                  peers,
                  available,
                  available == 1 ? "core" : "cores",
                  static_cast<double>(peers) / static_cast<double>(available)));
}

/// Standard output gets `text`. A reader that has gone is no error: it has seen what it wanted.
ExitCode print_result(const std::string& text, bool interrupted, Log& log) {
  const Duration patience = interrupted ? kPatienceWhenInterrupted : kForEver;
  const Written written = write_all(STDOUT_FILENO, text, patience);
  if (written != Written::failed) {
    return ExitCode::ok;
  }
  log.error(fmt::format("standard output: cannot write the summary: {}", std::strerror(errno)));
  return ExitCode::storage;
}

/// What config.toml says. To replace an earlier run is the wish of a moment: whoever runs the file
/// again, or resumes with it, has not asked for that.
std::string lasting_config(Effective effective) {
  effective.settings.show.overwrite = false;
  return to_toml(effective);
}

/// Tells config.toml what a step was measured to cost: whoever runs the file gets this run again,
/// not one at the speed of that day's machine.
void record_measured(Effective effective, double step_seconds) {
  const std::filesystem::path out = effective.settings.experiment.out;
  if (out.empty()) {
    return;
  }
  effective.settings.experiment.step_seconds = step_seconds;
  effective.sources["step-seconds"] = {"measured", Source::kNowhere};
  write_config(out, lasting_config(std::move(effective)));
}

ExitCode train_and_report(const Effective& effective,
                          trainer::StopPoint& stop,
                          SignalWatch& watch,
                          Console& console,
                          Log& log) {
  const Settings& settings = effective.settings;
  std::optional<Progress> progress;
  if (!settings.show.quiet) {
    progress.emplace(console, settings.experiment.peers);
  }
  Display display(log, progress ? &*progress : nullptr);
  warn_about_cores(settings, log);
  const trainer::Summary summary = trainer::train(
      settings.experiment,
      {.make_world = world_factory(settings.world),
       .observer = &display,
       .stop = &stop,
       .virtual_time = settings.world.on == WorldKind::simulation,
       .on_begin =
           [&](std::uint64_t done, std::uint64_t total) {
             if (progress) {
               progress->set_length(done, total);
             }
           },
       .on_measured =
           [&effective](double step_seconds) { record_measured(effective, step_seconds); }});
  watch.end_at_once();
  console.clear();
  log.report_left_out();
  const std::string text = settings.show.json ? trainer::to_json(summary) : summary_table(summary);
  const ExitCode printed = print_result(text, stop.requested(), log);
  if (!summary.error.empty()) {
    log.error(summary.error);
  }
  return summary.exit_code == ExitCode::ok ? printed : summary.exit_code;
}

/// What lives as long as the process watches for signals.
struct Session {
  Console console{};
  trainer::StopPoint stop{};
  std::optional<Log> log{};  ///< once it is known how loud it is to be
};

/// Before the first step there is nothing to finish, and data, plug-ins and peers can take long:
/// the process ends. Then all of them agree on a last step.
bool finish_or_leave(Session& session) {
  if (!session.stop.request()) {
    session.console.print("starling: error: interrupted before the first step");
    return false;
  }
  session.log->warning("interrupted: finishing the round; once more ends at once");
  return true;
}

ExitCode run(const Effective& effective, Session& session, SignalWatch& watch) {
  const trainer::Experiment& experiment = effective.settings.experiment;
  std::optional<FolderLock> out;
  std::optional<FolderLock> checkpoints;
  if (!experiment.out.empty()) {
    out.emplace(experiment.out, "out");
    prepare_run_folder(effective.settings, lasting_config(effective));
  }
  if (!experiment.checkpoint.directory.empty()) {
    checkpoints.emplace(experiment.checkpoint.directory, "checkpoint-dir");
    prepare_checkpoint_folder(effective.settings);
  }
  return train_and_report(effective, session.stop, watch, session.console, *session.log);
}

ExitCode configure_and_run(const CommandLine& line, Session& session, SignalWatch& watch) {
  const Reading file = line.config.empty() ? Reading{} : read_config_file(line.config);
  const Effective effective = resolve(file, line.train);
  if (!effective.findings.empty()) {
    return refuse(effective.findings);
  }
  if (line.print_config) {
    if (write_all(STDOUT_FILENO, to_toml(effective), kForEver) == Written::failed) {
      throw StorageError(
          fmt::format("standard output: cannot write the configuration: {}", std::strerror(errno)));
    }
    return ExitCode::ok;
  }
  session.log.emplace(
      session.console, effective.settings.show, effective.settings.experiment.peers);
  return run(effective, session, watch);
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

ExitCode run_train(const CommandLine& line) {
  Session session;
  try {
    SignalWatch watch([&session] { return finish_or_leave(session); });
    return configure_and_run(line, session, watch);
  } catch (const Error& error) {
    return fail(session, error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(session,
                ExitCode::internal,
                "out of memory: fewer peers, a smaller model or a smaller batch needs less");
  } catch (const std::exception& error) {
    return fail(session,
                ExitCode::internal,
                fmt::format("internal error, please report it: {}", error.what()));
  }
}

}  // namespace starling::cli
