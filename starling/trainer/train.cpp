#include "starling/trainer/train.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "starling/core/error.hpp"
#include "starling/core/policy.hpp"
#include "starling/trainer/atomic_file.hpp"
#include "starling/trainer/evaluate.hpp"
#include "starling/trainer/forecast.hpp"
#include "starling/trainer/lost_peers.hpp"
#include "starling/trainer/metrics.hpp"
#include "starling/trainer/metrics_file.hpp"
#include "starling/trainer/safetensors.hpp"
#include "starling/trainer/summarise.hpp"
#include "starling/trainer/worker.hpp"

namespace starling::trainer {

namespace {

/// Data drawn per peer, and problems made for n peers, are others for another n.
void check_peers_may_change(const Plan& plan, std::size_t before) {
  const Experiment& experiment = plan.experiment;
  if (plan.data.train != nullptr && experiment.partition != "own") {
    return;
  }
  throw ConfigError(
      "resume: the checkpoint is of " + std::to_string(before) + " peers, not " +
      std::to_string(experiment.peers) + ", and " +
      (plan.data.train == nullptr ? "model " + experiment.model : "data " + experiment.data) +
      " is another problem for another number of peers; resume with " + std::to_string(before));
}

/// A later resume would find the steps of both runs.
void check_checkpoints_are_ours(const Plan& plan) {
  const Experiment& experiment = plan.experiment;
  const std::filesystem::path directory = checkpoint_directory(experiment);
  if (!experiment.resume.empty() || directory.empty() || checkpoint_steps(directory).empty()) {
    return;
  }
  throw ConfigError("checkpoint-dir: " + directory.string() +
                    " holds checkpoints of another run; resume it, remove them or name another "
                    "directory");
}

/// With another number of peers epochs have other lengths: the steps done, what is left of the
/// epoch the checkpoint stands in, and whole epochs from there.
void count_steps_anew(Plan& plan, std::uint64_t done, const RestOfEpoch& rest) {
  if (!plan.experiment.epochs) {
    return;
  }
  const double whole = *plan.experiment.epochs - static_cast<double>(rest.epoch + 1);
  plan.total_steps = done + rest.steps;
  if (whole > 0.0) {
    plan.total_steps +=
        whole_steps(std::ceil(whole * static_cast<double>(plan.steps_per_epoch)), "epochs");
  }
  plan.experiment.learning_rate.total_steps = plan.total_steps;
}

/// Before the first step, so that a long run does not end without its model.
void check_export(const std::filesystem::path& target) {
  if (target.empty()) {
    return;
  }
  const auto folder = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder)) {
    throw StorageError("export-model: there is no folder " + folder.string());
  }
  if (std::filesystem::exists(target) && !std::filesystem::is_regular_file(target)) {
    throw StorageError("export-model: " + target.string() + " exists and is not a regular file");
  }
}

/// Steps that were done before the run was resumed never come again.
void check_injections(const Plan& plan, std::uint64_t done) {
  for (const Injection& injection : plan.experiment.injections) {
    if (injection.step < done) {
      throw ConfigError("inject: step " + std::to_string(injection.step) +
                        " never comes, the run is resumed at step " + std::to_string(done));
    }
  }
}

/// The steps already done had another rate than in a run of this length that is never stopped.
void note_other_length(Plan& plan, const PeerState& before) {
  const optimizer::LearningRateOptions& rate = plan.experiment.learning_rate;
  const auto length = before.counters.find(kLengthCounter);
  if (length == before.counters.end() || length->second == rate.total_steps ||
      !optimizer::follows_length(rate)) {
    return;
  }
  plan.notes.push_back("the learning rate follows the length of the run: it was " +
                       std::to_string(length->second) + " steps, it is " +
                       std::to_string(rate.total_steps) +
                       " now; the result is not that of a run never stopped");
}

std::optional<Beginning> load_beginning(Plan& plan) {
  check_export(plan.experiment.export_model);
  check_checkpoints_are_ours(plan);
  const Experiment& experiment = plan.experiment;
  if (experiment.resume.empty()) {
    return std::nullopt;
  }
  Beginning beginning{.checkpoint = load_checkpoint(experiment.resume, plan.fingerprint),
                      .rest = std::nullopt};
  const Checkpoint& checkpoint = beginning.checkpoint;
  plan.notes.insert(plan.notes.end(), checkpoint.notes.begin(), checkpoint.notes.end());
  plan.notes.push_back("resumed at step " + std::to_string(checkpoint.step) + " from " +
                       checkpoint.directory.string());
  if (checkpoint.peers.size() != experiment.peers) {
    check_peers_may_change(plan, checkpoint.peers.size());
    std::vector<DataState> data;
    for (const PeerState& peer : checkpoint.peers) {
      data.push_back(peer.data);
    }
    beginning.rest = deal_rest_of_epoch(data, deal_options(plan));
    plan.notes.push_back(describe(*beginning.rest, checkpoint.peers.size()));
    count_steps_anew(plan, checkpoint.step, *beginning.rest);
  }
  if (plan.total_steps <= checkpoint.step) {
    throw ConfigError("resume: the checkpoint is at step " + std::to_string(checkpoint.step) +
                      ", the run ends at step " + std::to_string(plan.total_steps) +
                      "; ask for more steps or epochs");
  }
  check_injections(plan, checkpoint.step);
  note_other_length(plan, checkpoint.peers.front());
  return beginning;
}

/// The entries of a fingerprint, for the first line of metrics.jsonl.
std::map<std::string, std::string> config_entries(const Plan& plan) {
  std::map<std::string, std::string> entries;
  std::string_view rest = plan.fingerprint;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const std::size_t equals = line.find(" = ");
    entries.emplace(line.substr(0, equals), line.substr(equals + 3));
    rest.remove_prefix(line.size() + 1);
  }
  std::string injections;
  for (const Injection& one : plan.experiment.injections) {
    injections.append(injections.empty() ? "" : ",").append(to_string(one));
  }
  if (!injections.empty()) {
    entries.emplace("inject", injections);
  }
  entries.emplace("peers", std::to_string(plan.experiment.peers));
  entries.emplace("steps", std::to_string(plan.total_steps));
  return entries;
}

/// Everything of one run that is not a peer's: evaluation of the averaged model, files, the
/// summary.
class Run : public Observer {
 public:
  Run(const Experiment& experiment, const Surroundings& surroundings)
      : surroundings_(surroundings),
        plan_(make_plan(experiment,
                        surroundings.virtual_time ? TimeKind::simulated : TimeKind::real)),
        beginning_(load_beginning(plan_)),
        judge_(make_parts(plan_, 0).objective),
        recorder_(recorder_options()),
        stop_(surroundings.stop != nullptr ? *surroundings.stop : own_stop_) {
    if (surroundings.virtual_time) {
      check_clock(plan_, steps_before(), surroundings.slowest_speed);
    }
    if (!plan_.experiment.out.empty()) {
      make_directories(plan_.experiment.out);
      metrics_.emplace(plan_.experiment.out / "metrics.jsonl",
                       beginning_ ? MetricsFile::Mode::append : MetricsFile::Mode::fresh);
      metrics_->config(config_entries(plan_));
    }
  }

  void on_event(const Event& event) override {
    lost_.on_event(event);
    recorder_.on_event(event);
    if (surroundings_.observer != nullptr) {
      surroundings_.observer->on_event(event);
    }
  }

  Summary train() {
    const auto started = std::chrono::steady_clock::now();
    for (const std::string& note : plan_.notes) {
      on_event({{}, {}, Note{Severity::info, note}});
    }
    if (plan_.step_is_measured && surroundings_.on_measured) {
      surroundings_.on_measured(plan_.step_seconds);
    }
    if (surroundings_.on_begin) {
      surroundings_.on_begin(steps_before(), plan_.total_steps);
    }
    const Forecast forecast = forecast_of(plan_, plan_.total_steps - steps_before());
    const auto world = surroundings_.make_world(
        {.peers = plan_.experiment.peers,
         .seed = plan_.experiment.seed,
         .observer = this,
         .slow_warning = from_seconds(plan_.experiment.slow_warning_seconds),
         .computing = forecast.computing,
         .exchanges = forecast.exchanges,
         .message_bytes = judge_->layout().elements() * sizeof(float),
         .stack_bytes = plan_.stack_bytes});
    const Work the_work{plan_, beginning_ ? &*beginning_ : nullptr, stop_, lost_};
    std::vector<PeerResult> results(plan_.experiment.peers);
    const RunReport report = world->run(
        [&](Peer& peer) { work(peer, the_work, results[Group::everyone(peer).rank()]); });
    recorder_.close();

    Summary summary;
    summary.world = world->name();
    const auto averaged = summarise(plan_, results, report, recorder_.totals(), summary);
    if (lost_.has_warned()) {
      summary.notes.push_back(
          incomplete_since(lost_.losses(), checkpoint_directory(plan_.experiment)));
    }
    if (averaged) {
      judge(*averaged, summary);
    }
    if (stop_.requested() && summary.exit_code == ExitCode::ok) {
      summary.exit_code = ExitCode::interrupted;
    }
    add_totals(recorder_.totals(), summary);
    summary.mean_drift = drift_;
    warn_of_dropped(summary);
    summary.notes_told = plan_.notes.size();
    summary.virtual_seconds = surroundings_.virtual_time ? seconds(report.elapsed) : 0.0;
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
    summary.wall_seconds = wall.count();
    leave_files(averaged, summary);
    return summary;
  }

 private:
  const Surroundings& surroundings_;
  Plan plan_;
  std::optional<Beginning> beginning_;
  std::unique_ptr<objective::Objective> judge_;  // evaluates averaged models
  std::optional<MetricsFile> metrics_;
  Recorder recorder_;
  StopPoint own_stop_;  // for callers who never ask for an end
  StopPoint& stop_;
  LostPeers lost_;
  double drift_ = 0.0;

  [[nodiscard]] std::uint64_t steps_before() const {
    return beginning_ ? beginning_->checkpoint.step : 0;
  }

  RecorderOptions recorder_options();
  void snapshot_taken(const SnapshotReport& report);
  objective::Evaluation evaluate(std::span<const float> model);
  [[nodiscard]] bool is_whole(const objective::Evaluation& evaluation) const;
  void warn_of_dropped(Summary& summary);
  void judge(std::span<const float> averaged, Summary& summary);
  void leave_files(const std::optional<std::vector<float>>& averaged, Summary& summary);
};

RecorderOptions Run::recorder_options() {
  Random initial(plan_.experiment.seed, stream_key("initial model"));
  RecorderOptions options;
  options.peers = plan_.experiment.peers;
  options.tail_steps = std::max<std::size_t>(1, plan_.total_steps / 10);
  options.start_mean.resize(judge_->layout().elements());
  judge_->initialise(options.start_mean, initial);
  options.on_step = [this](const StepReport& report) {
    if (metrics_) {
      metrics_->step(report);
    }
  };
  options.on_snapshot = [this](const SnapshotReport& report) { snapshot_taken(report); };
  options.on_warning = [this](const Event& event) {
    if (metrics_) {
      metrics_->event(event);
    }
  };
  return options;
}

void Run::snapshot_taken(const SnapshotReport& report) {
  drift_ = report.mean_drift;
  if (!metrics_) {
    return;
  }
  std::map<std::string, double> more;
  const std::uint64_t every = plan_.experiment.evaluate_every;
  if (every != 0 && report.step % every == 0) {
    const objective::Evaluation evaluation = evaluate(report.mean);
    if (is_whole(evaluation)) {  // an interrupt may have cut it short
      more.emplace("loss_averaged_model", evaluation.loss());
      more.emplace("accuracy_averaged_model", evaluation.accuracy());
    }
  }
  metrics_->peers(report, more);
}

/// At least one piece, however long ago the interrupt was.
objective::Evaluation Run::evaluate(std::span<const float> model) {
  const auto& data = plan_.data.test != nullptr ? plan_.data.test : plan_.data.train;
  bool begun = false;
  return evaluate_in_pieces(*judge_, model, {data.get(), plan_.evaluation_samples}, [&] {
    return std::exchange(begun, true) && stop_.is_overdue(kPatienceWithAverage);
  });
}

bool Run::is_whole(const objective::Evaluation& evaluation) const {
  return evaluation.samples >= plan_.evaluation_samples.size();
}

void Run::warn_of_dropped(Summary& summary) {
  if (summary.reports_dropped == 0) {
    return;
  }
  summary.notes.push_back("metrics.jsonl lacks " + std::to_string(summary.reports_dropped) +
                          " lines: they came faster than they could be written; a larger "
                          "--metrics-every or --evaluate-every leaves more time");
  on_event({{}, {}, Note{Severity::warning, summary.notes.back()}});
}

void Run::judge(std::span<const float> averaged, Summary& summary) {
  const objective::Evaluation evaluation = evaluate(averaged);
  summary.loss = evaluation.loss();
  summary.accuracy_averaged_model = evaluation.accuracy();
  if (!is_whole(evaluation)) {
    summary.notes.push_back("interrupted: the averaged model was tested on " +
                            std::to_string(evaluation.samples) + " of " +
                            std::to_string(plan_.evaluation_samples.size()) + " samples");
  }
  if (!std::isfinite(summary.loss) && summary.exit_code == ExitCode::ok) {
    summary.exit_code = ExitCode::not_finite;
    summary.error = "the loss of the averaged model is not finite after " +
                    std::to_string(summary.steps) + " steps; " + advice(NotFinite::skip_peer);
  }
}

/// A file that cannot be written is an error of the run, not the loss of its result. The summary
/// comes last: it tells of the others.
void Run::leave_files(const std::optional<std::vector<float>>& averaged, Summary& summary) {
  const Experiment& experiment = plan_.experiment;
  const auto attempt = [&summary](const std::function<void()>& write) {
    try {
      write();
    } catch (const Error& error) {
      if (summary.exit_code == ExitCode::ok || summary.exit_code == ExitCode::interrupted) {
        summary.exit_code = error.code();
      }
      summary.error += (summary.error.empty() ? "" : "; ") + std::string(error.what());
    }
  };
  if (!experiment.export_model.empty() && averaged) {
    attempt([&] {
      write_safetensors(experiment.export_model,
                        judge_->layout(),
                        *averaged,
                        {{"model", experiment.model},
                         {"algorithm", experiment.algorithm},
                         {"steps", std::to_string(summary.steps)}});
    });
  }
  if (metrics_) {
    attempt([&] { metrics_->close(); });
  }
  if (!experiment.out.empty()) {
    attempt([&] { write_atomically(experiment.out / "summary.json", to_json(summary) + "\n"); });
  }
}

}  // namespace

Summary train(const Experiment& experiment, const Surroundings& surroundings) {
  return Run(experiment, surroundings).train();
}

}  // namespace starling::trainer
