#include "starling/cli/bench_command.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "starling/cli/bench_table.hpp"
#include "starling/cli/progress.hpp"
#include "starling/cli/session.hpp"
#include "starling/cli/signals.hpp"
#include "starling/cli/timing_plot.hpp"
#include "starling/cli/worlds.hpp"
#include "starling/collective/price.hpp"
#include "starling/trainer/atomic_file.hpp"
#include "starling/trainer/timing.hpp"

namespace starling::cli {

namespace {

constexpr Duration kForEver{-1};

/// From here on choosing takes seconds, which people are told.
constexpr std::size_t kManyPeers = 128;

/// What people and programs hear while it lasts: rows on standard output, the rest on standard
/// error.
class Report final : public Observer {
 public:
  Report(const Settings& settings, const trainer::Timing& timing, Session& session)
      : settings_(settings), timing_(timing), session_(session) {}

  void on_event(const Event& event) override { session_.log->on_event(event); }

  void on_left_out(const std::string& what) { session_.log->info("left out: " + what); }

  void on_begin(std::span<const std::string> algorithms, const collective::LinkModel& link) {
    if (!settings_.show.quiet) {
      progress_.emplace(session_.console, 1, "row");
      const bool has_sizes = timing_.operation != collective::Operation::barrier;
      progress_->set_length(0, algorithms.size() * (has_sizes ? timing_.sizes.size() : 1));
    }
    if (!settings_.show.json) {
      table_.emplace(settings_.timing.operation, algorithms);
      print(bench_title(settings_) + "; predictions for " + link_text(link) + "\n" +
            table_->heading());
    }
  }

  void on_row(const trainer::TimingRow& row) {
    session_.console.clear();
    print(table_ ? table_->line(row) : trainer::to_json(row));
    if (progress_) {
      progress_->on_round();
    }
  }

  /// Whether standard output took everything.
  [[nodiscard]] ExitCode printed() const noexcept { return printed_; }

 private:
  const Settings& settings_;
  const trainer::Timing& timing_;
  Session& session_;
  std::optional<Progress> progress_;
  std::optional<BenchTable> table_;
  ExitCode printed_ = ExitCode::ok;

  void print(const std::string& text) {
    if (printed_ == ExitCode::ok) {  // once it cannot be written, one line says so
      printed_ = print_result(text, kForEver, *session_.log);
    }
  }
};

/// On threads what training takes, too; in simulation the cheapest on the network.
collective::Selection selection_for(const trainer::Timing& timing,
                                    const std::optional<collective::LinkModel>& link,
                                    const Settings& settings,
                                    Log& log) {
  if (!link) {
    return {};
  }
  collective::Selection selection{.link = *link, .measured = {}};
  const bool chooses =
      std::any_of(timing.algorithms.begin(), timing.algorithms.end(), [](const std::string& name) {
        return name == "auto" || name == "all";
      });
  if (chooses) {
    if (!settings.show.quiet && timing.peers >= kManyPeers) {
      log.info("looking for the cheapest algorithm of every size by the cost model");
    }
    selection.measured =
        collective::cheapest(timing.operation, timing.peers, timing.vector_bytes(), *link);
  }
  return selection;
}

ExitCode run(const Settings& settings, Session& session) {
  const trainer::Timing timing = timing_of(settings);
  const auto link = known_link(settings);
  Report report(settings, timing, session);
  const auto rows = trainer::time_collectives(
      timing,
      {.make_world =
           [&settings](const trainer::WorldRequest& request, std::size_t scale) {
             return make_timed_world(settings.world, request, scale);
           },
       .virtual_time = settings.world.on == WorldKind::simulation,
       .observer = &report,
       .selection = selection_for(timing, link, settings, *session.log),
       .link = link,
       .on_begin = [&](const auto& algorithms,
                       const auto& found) { report.on_begin(algorithms, found); },
       .on_row = [&](const trainer::TimingRow& row) { report.on_row(row); },
       .on_left_out = [&](const std::string& what) { report.on_left_out(what); }});
  session.console.clear();
  session.log->report_left_out();
  if (!settings.bench.plot.empty()) {
    trainer::write_atomically(settings.bench.plot, timing_plot(rows, bench_title(settings)));
  }
  return report.printed();
}

}  // namespace

ExitCode run_bench(const CommandLine& line) {
  Session session;
  return report_errors(session, "fewer peers or smaller --sizes need less", [&] {
    SignalWatch watch([&session] {
      session.console.print("starling: error: interrupted, the rows above are all there are");
      return false;  // nothing to finish
    });
    const Configured configured = configure(bench_options(), line, session);
    return configured.ended ? *configured.ended : run(configured.effective.settings, session);
  });
}

}  // namespace starling::cli
