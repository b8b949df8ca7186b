#include "starling/cli/average_command.hpp"

#include <filesystem>
#include <optional>
#include <string>

#include "starling/cli/average_table.hpp"
#include "starling/cli/progress.hpp"
#include "starling/cli/run_folder.hpp"
#include "starling/cli/session.hpp"
#include "starling/cli/signals.hpp"
#include "starling/cli/worlds.hpp"
#include "starling/trainer/atomic_file.hpp"
#include "starling/trainer/averaging.hpp"

namespace starling::cli {

namespace {

constexpr Duration kForEver{-1};

/// What people hear of a run while it lasts.
class Lines final : public Observer {
 public:
  explicit Lines(Log& log) : log_(log) {}

  void on_event(const Event& event) override { log_.on_event(event); }

 private:
  Log& log_;
};

trainer::AveragingSummary average_with_progress(const Settings& settings, Session& session) {
  const trainer::Averaging averaging = averaging_of(settings);
  std::optional<Progress> progress;
  if (!settings.show.quiet) {
    progress.emplace(session.console, averaging.averager.peers, "round");
    progress->set_length(0, averaging.rounds * averaging.repeats);
  }
  Lines lines(*session.log);
  trainer::AveragingSummary summary =
      trainer::average(averaging,
                       {.make_world = world_factory(settings.world),
                        .observer = &lines,
                        .virtual_time = settings.world.on == WorldKind::simulation,
                        .on_round = [&] {
                          if (progress) {
                            progress->on_round();
                          }
                        }});
  session.console.clear();
  session.log->report_left_out();
  return summary;
}

ExitCode run(const Effective& effective, Session& session) {
  const Settings& settings = effective.settings;
  const std::filesystem::path& out = settings.experiment.out;
  std::optional<FolderLock> lock;
  if (!out.empty()) {
    lock.emplace(out, "out");
    prepare_result_folder(settings, lasting_toml(effective), effective.config_file);
  }
  const trainer::AveragingSummary summary = average_with_progress(settings, session);
  const std::string text = settings.show.json ? trainer::to_json(summary) : average_table(summary);
  const ExitCode printed = print_result(text, kForEver, *session.log);
  if (!out.empty()) {
    trainer::write_atomically(out / "summary.json", trainer::to_long_json(summary));
  }
  return printed;
}

}  // namespace

ExitCode run_average(const CommandLine& line) {
  Session session;
  return report_errors(session, "fewer peers or a smaller --dim needs less", [&] {
    SignalWatch watch([&session] {
      session.console.print("starling: error: interrupted, nothing was measured to the end");
      return false;  // nothing to finish
    });
    const Configured configured = configure(average_options(), line, session);
    return configured.ended ? *configured.ended : run(configured.effective, session);
  });
}

}  // namespace starling::cli
