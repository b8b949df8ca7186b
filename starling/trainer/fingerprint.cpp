#include "starling/trainer/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "starling/core/text.hpp"
#include "starling/trainer/plan.hpp"

namespace starling::trainer {

namespace {

/// The shortest text that reads back as the same number.
template <class Number>
std::string number(Number value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

class Lines {
 public:
  void add(std::string_view name, std::string_view value) {
    text_.append(name).append(" = ").append(value).append("\n");
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void add_algorithm(const Plan& plan, Lines& lines) {
  const algorithm::AlgorithmOptions& options = plan.experiment.algorithm_options;
  const std::vector<std::string>& takes = plan.entry->options;
  const auto has = [&takes](const char* option) {
    return std::find(takes.begin(), takes.end(), option) != takes.end();
  };
  const bool only_gossips = plan.entry->exact_on_full && plan.topology != nullptr;
  lines.add("algorithm", plan.experiment.algorithm);
  if (plan.topology != nullptr) {
    lines.add("topology", plan.topology->name());
    lines.add("weights", options.weights);
  } else if (has("topology")) {
    lines.add("topology", "full");
  }
  if (has("collective") && !only_gossips) {
    lines.add("collective", options.collective);
  }
  if (has("period")) {
    const bool chosen = options.period != 0;
    lines.add("period", number(chosen ? options.period : plan.entry->default_period));
  }
  if (has("order")) {
    lines.add("order", to_string(options.order));
  }
  if (has("ports")) {
    lines.add("ports", number(options.ports));
  }
  if (has("on-loss")) {
    lines.add("on-loss", to_string(options.on_loss));
  }
}

void add_problem(const Plan& plan, Lines& lines) {
  const Experiment& experiment = plan.experiment;
  lines.add("model", experiment.model);
  if (split(experiment.model, ':').front() == "logistic") {
    lines.add("l2", number(experiment.l2));
  }
  if (plan.data.train == nullptr) {
    return;
  }
  lines.add("data", experiment.data);
  lines.add("partition", experiment.partition);
  lines.add("batch", number(experiment.batch));
  lines.add("last-batch", to_string(experiment.last_batch));
}

void add_optimizer(const optimizer::OptimizerOptions& options, Lines& lines) {
  lines.add("optimizer", options.name);
  if (options.name == "momentum" || options.name == "nesterov") {
    lines.add("momentum", number(options.momentum));
  }
  if (options.name == "adam") {
    lines.add("beta1", number(options.beta1));
    lines.add("beta2", number(options.beta2));
    lines.add("epsilon", number(options.epsilon));
  }
  lines.add("weight-decay", number(options.weight_decay));
}

void add_learning_rate(const optimizer::LearningRateOptions& options, Lines& lines) {
  lines.add("lr", number(options.base));
  lines.add("lr-schedule", options.schedule);
  if (options.schedule == "step") {
    std::string places;
    for (const double place : options.drop_at) {
      places.append(places.empty() ? "" : ",").append(number(place));
    }
    lines.add("lr-drop-at", places);
    lines.add("lr-drop-factor", number(options.drop_factor));
  }
  if (options.schedule == "cosine") {
    lines.add("lr-final-fraction", number(options.final_fraction));
  }
  lines.add("warmup-steps", number(options.warmup_steps));
}

}  // namespace

std::string fingerprint_of(const Plan& plan) {
  Lines lines;
  lines.add("seed", number(plan.experiment.seed));
  add_algorithm(plan, lines);
  add_problem(plan, lines);
  add_optimizer(plan.experiment.optimizer, lines);
  add_learning_rate(plan.experiment.learning_rate, lines);
  lines.add("not-finite", to_string(plan.experiment.not_finite));
  return lines.take();
}

}  // namespace starling::trainer
