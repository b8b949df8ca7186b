#include "starling/trainer/plan.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <sstream>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/objective/plugin.hpp"
#include "starling/trainer/fingerprint.hpp"
#include "starling/trainer/without_effect.hpp"

namespace starling::trainer {

namespace {

constexpr std::size_t kSmallStackBytes = std::size_t{256} * 1024;

void check_seconds(const char* option, double value, double least) {
  if (value >= least && value <= kSecondsMax) {
    return;
  }
  std::ostringstream text;
  text << option << ": expected " << least << " to " << kSecondsMax << " seconds, found " << value;
  throw ConfigError(text.str());
}

void check_epochs(const char* option, double value) {
  if (value >= 0.0 && value <= kEpochsMax) {
    return;
  }
  std::ostringstream text;
  text << option << ": expected 0 to " << kEpochsMax << ", found " << value;
  throw ConfigError(text.str());
}

void check(const Experiment& experiment) {
  if (experiment.peers < 1 || experiment.peers > kPeersMax) {
    throw ConfigError("peers: expected 1 to " + std::to_string(kPeersMax) + ", found " +
                      std::to_string(experiment.peers));
  }
  check_seconds("timeout", experiment.timeout_seconds, kWaitSecondsMin);
  check_seconds("slow-warning", experiment.slow_warning_seconds, kWaitSecondsMin);
  check_seconds("step-seconds", experiment.step_seconds, 0.0);
  check_epochs("epochs", experiment.epochs.value_or(0.0));
  check_epochs("warmup-epochs", experiment.warmup_epochs);
  if (experiment.batch < 1) {
    throw ConfigError("batch: at least 1");
  }
  if (experiment.steps.has_value() == experiment.epochs.has_value()) {
    throw ConfigError("steps, epochs: give exactly one of the two");
  }
  if (experiment.not_finite == NotFinite::skip_round &&
      experiment.algorithm_options.on_loss == OnLoss::continue_) {
    throw ConfigError(
        "not-finite: skip-round needs the word of every peer in every step and cannot go on "
        "without "
        "the lost, as on-loss continue asks; use skip-peer or on-loss stop");
  }
  if (experiment.checkpoint.keep < 1) {
    throw ConfigError("checkpoint-keep: at least 1");
  }
  const std::vector<Injection>& injections = experiment.injections;
  for (auto each = injections.begin(); each != injections.end(); ++each) {
    if (each->peer >= experiment.peers) {
      throw ConfigError("inject: no peer " + std::to_string(each->peer) + " among " +
                        std::to_string(experiment.peers));
    }
    const bool is_second = std::any_of(injections.begin(), each, [&](const Injection& other) {
      return other.peer == each->peer && other.step == each->step;
    });
    if (is_second) {
      throw ConfigError("inject: two values for peer " + std::to_string(each->peer) + " in step " +
                        std::to_string(each->step));
    }
  }
}

/// Nobody goes on without the lost where every average needs every peer.
void check_loss_policy(const Plan& plan) {
  const std::vector<std::string>& takes = plan.entry->options;
  if (plan.experiment.algorithm_options.on_loss != OnLoss::continue_ ||
      std::find(takes.begin(), takes.end(), "on-loss") != takes.end()) {
    return;
  }
  throw ConfigError("on-loss: " + plan.entry->name +
                    " cannot go on without the lost; use on-loss stop, and resume a checkpoint, "
                    "with fewer peers if need be, or another algorithm");
}

void load_data(Plan& plan) {
  const Experiment& experiment = plan.experiment;
  if (!objective::model_entry(experiment.model).needs_data) {
    return;
  }
  plan.data = objective::load_data({.name = experiment.data,
                                    .directory = experiment.data_directory,
                                    .peers = experiment.peers,
                                    .seed = experiment.seed});
}

/// A gradient of no samples has weight 0 in an all-reduce of gradients. Where models are averaged,
/// the model of a peer that never learns would count like any other, so there the run is refused.
void judge_empty_shards(Plan& plan, const std::vector<std::size_t>& empty) {
  if (empty.empty()) {
    return;
  }
  std::string who = std::to_string(empty.size()) + " of " + std::to_string(plan.experiment.peers) +
                    " peers have no samples (first: " + to_string(PeerId{empty.front()}) + ")";
  if (plan.entry->mixing != algorithm::Mixing::none) {
    throw ConfigError("partition " + plan.experiment.partition + ": " + who + ", and " +
                      plan.experiment.algorithm +
                      " would average their untouched models like any other; use fewer peers, "
                      "another partition, or allreduce-sgd, where they have weight 0");
  }
  plan.notes.push_back(who + ": they average with weight 0 and learn from the others");
}

void cut_data(Plan& plan) {
  const Experiment& experiment = plan.experiment;
  if (plan.data.train == nullptr) {
    return;
  }
  plan.partition = objective::make_partition(
      *plan.data.train,
      {.scheme = experiment.partition, .peers = experiment.peers, .seed = experiment.seed});
  std::vector<std::size_t> sizes;
  std::vector<std::size_t> empty;
  for (std::size_t rank = 0; rank < experiment.peers; ++rank) {
    sizes.push_back(plan.partition[rank].size());
    if (sizes.back() == 0) {
      empty.push_back(rank);
    }
  }
  judge_empty_shards(plan, empty);
  plan.steps_per_epoch = objective::steps_per_epoch(sizes, experiment.batch, experiment.last_batch);
}

void count_steps(Plan& plan) {
  const Experiment& experiment = plan.experiment;
  if (experiment.steps) {
    plan.total_steps = *experiment.steps;
  } else {
    if (plan.steps_per_epoch == 0) {
      throw ConfigError("epochs: model " + experiment.model +
                        " has no data to go through; use steps");
    }
    if (!(*experiment.epochs > 0.0)) {
      throw ConfigError("epochs: more than 0");
    }
    plan.total_steps = whole_steps(
        std::ceil(*experiment.epochs * static_cast<double>(plan.steps_per_epoch)), "epochs");
  }
  for (const Injection& injection : experiment.injections) {
    if (injection.step >= plan.total_steps) {
      throw ConfigError("inject: step " + std::to_string(injection.step) +
                        " never comes, the run has " + std::to_string(plan.total_steps) +
                        " steps, counted from 0");
    }
  }
  if (plan.total_steps < 1) {
    throw ConfigError("steps: at least 1");
  }
  plan.snapshot_every = experiment.metrics_every != 0
                            ? experiment.metrics_every
                            : std::max<std::uint64_t>(1, plan.total_steps / 10);
}

void choose_evaluation_samples(Plan& plan) {
  const auto& data = plan.data.test != nullptr ? plan.data.test : plan.data.train;
  if (data == nullptr) {
    return;
  }
  const std::size_t wanted = plan.experiment.evaluation_samples;
  const std::size_t count = wanted == 0 ? data->size() : std::min(wanted, data->size());
  plan.evaluation_samples.resize(count);
  std::iota(plan.evaluation_samples.begin(), plan.evaluation_samples.end(), 0U);
}

/// Median of a few timed gradients of a full batch, in whole nanoseconds and at least one: a number
/// that gives the same run when it is said instead of measured.
double measure_step(const Plan& plan) {
  constexpr int kWarmUp = 2;
  constexpr std::size_t kTimed = 5;
  const algorithm::ReplicaParts parts = make_parts(plan, 0);
  Random random(plan.experiment.seed, stream_key("step cost"));
  std::vector<float> point(parts.objective->layout().elements());
  std::vector<float> gradient(point.size());
  parts.objective->initialise(point, random);
  std::vector<std::uint32_t> samples;
  if (parts.data != nullptr) {
    samples.resize(std::min(plan.experiment.batch, parts.data->size()));
    std::iota(samples.begin(), samples.end(), 0U);
  }
  std::vector<double> times;
  for (int turn = -kWarmUp; times.size() < kTimed; ++turn) {
    const auto start = std::chrono::steady_clock::now();
    parts.objective->gradient(point, {parts.data.get(), samples}, random, gradient);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (turn >= 0) {
      times.push_back(took.count());
    }
  }
  std::sort(times.begin(), times.end());
  return std::max(1e-9, seconds(from_seconds(times[times.size() / 2])));
}

}  // namespace

std::uint64_t whole_steps(double steps, const char* option) {
  if (steps >= 0.0 && steps <= kEpochStepsMax) {
    return static_cast<std::uint64_t>(steps);
  }
  std::ostringstream text;
  text << option << ": " << steps << " steps are more than can be counted";
  throw ConfigError(text.str());
}

void check_clock(const Plan& plan, std::uint64_t done, double slowest_speed) {
  ensure(slowest_speed > 0.0, "a host has a positive speed", slowest_speed);
  const std::uint64_t steps = plan.total_steps - done;
  const double length = static_cast<double>(steps) * plan.step_seconds / slowest_speed;
  if (length <= kVirtualSecondsMax) {
    return;
  }
  std::ostringstream text;
  text << "virtual time: " << steps << " steps of " << plan.step_seconds << " s"
       << (plan.step_is_measured ? " (measured)" : "");
  if (slowest_speed != 1.0) {
    text << " on a host of speed " << slowest_speed;
  }
  text << " last longer than its clock can tell, " << kVirtualSecondsMax << " s; use fewer "
       << (plan.experiment.epochs ? "--epochs" : "--steps");
  if (!plan.step_is_measured) {
    text << " or a smaller --step-seconds";
  }
  throw ConfigError(text.str());
}

Plan make_plan(const Experiment& experiment, TimeKind time) {
  check(experiment);
  Plan plan;
  plan.experiment = experiment;
  plan.entry = &algorithm::find_algorithm(experiment.algorithm);
  check_loss_policy(plan);
  plan.topology = algorithm::make_mixing(
      *plan.entry, experiment.algorithm_options, experiment.peers, experiment.seed);
  if (plan.entry->default_topology.empty() && !experiment.algorithm_options.topology.empty()) {
    plan.notes.push_back("topology " + experiment.algorithm_options.topology +
                         " is not used: " + experiment.algorithm +
                         (plan.entry->mixing == algorithm::Mixing::none
                              ? " averages exactly over all peers"
                              : " has partners of its own"));
  }
  if (experiment.peers == 1) {
    plan.notes.emplace_back("1 peer, nothing to average");
  }
  load_data(plan);
  cut_data(plan);
  plan.make_objective = objective::prepare_objectives({.name = experiment.model,
                                                       .peers = experiment.peers,
                                                       .seed = experiment.seed,
                                                       .l2 = experiment.l2},
                                                      plan.data.train.get());
  count_steps(plan);
  choose_evaluation_samples(plan);

  auto& rate = plan.experiment.learning_rate;
  rate.total_steps = plan.total_steps;
  rate.warmup_steps +=
      whole_steps(std::round(experiment.warmup_epochs * static_cast<double>(plan.steps_per_epoch)),
                  "warmup-epochs");
  plan.fingerprint = fingerprint_of(plan);
  note_without_effect(plan);
  plan.stack_bytes = kSmallStackBytes;
  if (objective::model_entry(experiment.model).needs_torch) {
    const auto backend = objective::network_backend(objective::plugin_candidates());
    plan.notes.push_back(std::string("networks on ") + backend.description);
    plan.stack_bytes += backend.stack_bytes;
  }
  plan.step_seconds = experiment.step_seconds;
  if (time == TimeKind::simulated && plan.step_seconds == 0.0) {
    plan.step_seconds = measure_step(plan);
    plan.step_is_measured = true;
  }
  return plan;
}

algorithm::ReplicaParts make_parts(const Plan& plan, std::size_t rank) {
  const Experiment& experiment = plan.experiment;
  auto objective = plan.make_objective(rank);
  std::optional<objective::Batches> batches;
  if (plan.data.train != nullptr) {
    batches.emplace(plan.partition[rank],
                    objective::Batches::Options{.batch_size = experiment.batch,
                                                .policy = experiment.last_batch,
                                                .steps_per_epoch = plan.steps_per_epoch,
                                                .seed = experiment.seed,
                                                .peer = rank});
  }
  auto optimizer = optimizer::make_optimizer(experiment.optimizer, objective->layout().elements());
  return {.objective = std::move(objective),
          .data = plan.data.train,
          .batches = std::move(batches),
          .optimizer = std::move(optimizer),
          .learning_rate = optimizer::LearningRate(experiment.learning_rate)};
}

algorithm::ReplicaOptions make_replica_options(const Plan& plan, std::size_t rank) {
  const Experiment& experiment = plan.experiment;
  algorithm::ReplicaOptions options{
      .not_finite = experiment.not_finite,
      .on_loss = experiment.algorithm_options.on_loss,
      .timeout = from_seconds(experiment.timeout_seconds),
      .step_cost = from_seconds(plan.step_seconds),
      .nominal_batch = plan.data.train != nullptr ? experiment.batch : 1,
      .collective = experiment.algorithm_options.collective,
      .faults = {}};
  for (const Injection& injection : experiment.injections) {
    if (injection.peer == rank) {
      options.faults.push_back({injection.step, injection.value});
    }
  }
  return options;
}

DealOptions deal_options(const Plan& plan) {
  const Experiment& experiment = plan.experiment;
  return {.peers = experiment.peers,
          .batch_size = experiment.batch,
          .policy = experiment.last_batch,
          .seed = experiment.seed};
}

std::filesystem::path checkpoint_directory(const Experiment& experiment) {
  if (!experiment.checkpoint.directory.empty()) {
    return experiment.checkpoint.directory;
  }
  return experiment.out.empty() ? std::filesystem::path() : experiment.out / "checkpoints";
}

}  // namespace starling::trainer
