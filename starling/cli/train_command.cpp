#include "starling/cli/train_command.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <sched.h>

#include "starling/cli/progress.hpp"
#include "starling/cli/run_folder.hpp"
#include "starling/cli/session.hpp"
#include "starling/cli/signals.hpp"
#include "starling/cli/summary_table.hpp"
#include "starling/cli/worlds.hpp"
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

/// Tells config.toml what a step was measured to cost: whoever runs the file gets this run again,
/// not one at the speed of that day's machine.
void record_measured(Effective effective, double step_seconds) {
  const std::filesystem::path out = effective.settings.experiment.out;
  if (out.empty()) {
    return;
  }
  effective.settings.experiment.step_seconds = step_seconds;
  effective.sources["step-seconds"] = {"measured", Source::kNowhere};
  write_config(out, lasting_toml(std::move(effective)));
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
       .slowest_speed = slowest_speed(settings),
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
  const ExitCode printed =
      print_result(text, stop.requested() ? kPatienceWhenInterrupted : kForEver, log);
  if (!summary.error.empty()) {
    log.error(summary.error);
  }
  return summary.exit_code == ExitCode::ok ? printed : summary.exit_code;
}

/// Before the first step there is nothing to finish, and data, plug-ins and peers can take long:
/// the process ends. Then all of them agree on a last step.
bool finish_or_leave(Session& session, trainer::StopPoint& stop) {
  if (!stop.request()) {
    session.console.print("starling: error: interrupted before the first step");
    return false;
  }
  session.log->warning("interrupted: finishing the round; once more ends at once");
  return true;
}

ExitCode run(const Effective& effective,
             Session& session,
             trainer::StopPoint& stop,
             SignalWatch& watch) {
  const auto locks = lock_run_folders(effective.settings);
  prepare_run_folder(effective.settings, lasting_toml(effective), effective.config_file);
  return train_and_report(effective, stop, watch, session.console, *session.log);
}

}  // namespace

ExitCode run_train(const CommandLine& line) {
  Session session;
  trainer::StopPoint stop;
  return report_errors(session, "fewer peers, a smaller model or a smaller batch needs less", [&] {
    SignalWatch watch([&] { return finish_or_leave(session, stop); });
    const Configured configured = configure(train_options(), line, session);
    return configured.ended ? *configured.ended : run(configured.effective, session, stop, watch);
  });
}

}  // namespace starling::cli
