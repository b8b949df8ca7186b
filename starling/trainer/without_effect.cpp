#include "starling/trainer/without_effect.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include "starling/trainer/plan.hpp"

namespace starling::trainer {

namespace {

/// "evaluate-every 500: the run has 200 steps, <so>".
template <class Number>
void note_beyond(Plan& plan, const char* option, Number value, const char* so) {
  std::ostringstream text;
  text << option << " " << value << ": the run has " << plan.total_steps
       << (plan.total_steps == 1 ? " step, " : " steps, ") << so;
  plan.notes.push_back(text.str());
}

void note_cadences(Plan& plan) {
  const Experiment& experiment = plan.experiment;
  const std::uint64_t last = plan.total_steps;
  if (experiment.evaluate_every > last) {
    note_beyond(plan, "evaluate-every", experiment.evaluate_every, "its end alone is tested");
  }
  if (experiment.metrics_every > last) {
    note_beyond(plan, "metrics-every", experiment.metrics_every, "only start and end are measured");
  }
  if (experiment.checkpoint.every > last) {
    note_beyond(plan,
                "checkpoint-every",
                experiment.checkpoint.every,
                "the only checkpoint is that of its end");
  }
}

void note_period(Plan& plan) {
  const std::vector<std::string>& takes = plan.entry->options;
  if (std::find(takes.begin(), takes.end(), "period") == takes.end()) {
    return;
  }
  const std::uint64_t chosen = plan.experiment.algorithm_options.period;
  const std::uint64_t period = chosen != 0 ? chosen : plan.entry->default_period;
  if (period > plan.total_steps && plan.experiment.peers > 1) {
    note_beyond(plan, "period", period, "its average never comes");
  }
}

void note_learning_rate(Plan& plan) {
  const optimizer::LearningRateOptions& rate = plan.experiment.learning_rate;
  const auto steps = static_cast<double>(plan.total_steps);
  if (rate.schedule == "step") {
    for (const double at : rate.drop_at) {
      const double drop = at <= 1.0 ? at * steps : at;
      if (drop > steps - 1.0) {
        note_beyond(plan, "lr-drop-at", at, "the rate never drops there");
      }
    }
  }
  if (rate.warmup_steps > plan.total_steps) {
    note_beyond(plan, "warmup-steps", rate.warmup_steps, "the full rate is never reached");
  }
  if (plan.experiment.warmup_epochs > 0.0 && rate.warmup_steps == 0) {
    std::ostringstream text;
    text << "warmup-epochs " << plan.experiment.warmup_epochs
         << ": less than half a step, there is no warm-up";
    plan.notes.push_back(text.str());
  }
}

void note_samples(Plan& plan) {
  const Experiment& experiment = plan.experiment;
  if (plan.data.train == nullptr) {
    return;
  }
  if (experiment.evaluation_samples > plan.evaluation_samples.size()) {
    plan.notes.push_back("evaluation-samples " + std::to_string(experiment.evaluation_samples) +
                         ": there are " + std::to_string(plan.evaluation_samples.size()) +
                         ", all are used");
  }
  std::size_t largest = 0;
  for (const auto& shard : plan.partition) {
    largest = std::max(largest, shard.size());
  }
  if (experiment.batch > largest && experiment.last_batch == objective::LastBatch::join_out) {
    plan.notes.push_back("batch " + std::to_string(experiment.batch) + ": the largest shard has " +
                         std::to_string(largest) + " samples, no batch is larger");
  }
}

}  // namespace

void note_without_effect(Plan& plan) {
  note_cadences(plan);
  note_period(plan);
  note_learning_rate(plan);
  note_samples(plan);
}

}  // namespace starling::trainer
