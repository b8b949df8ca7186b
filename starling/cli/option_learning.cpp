// Options of what happens locally: [model], [data] and [optimizer].
#include <limits>

#include "starling/cli/option_rules.hpp"
#include "starling/cli/option_table.hpp"
#include "starling/cli/option_values.hpp"
#include "starling/objective/partition.hpp"

namespace starling::cli {

namespace {

using objective::LastBatch;

constexpr RealRange kAboveZero{.least_end = RealRange::End::excluded};
constexpr RealRange kBelowOne{.most = 1.0, .most_end = RealRange::End::excluded};

std::string partition_usages() {
  std::string text;
  for (const objective::PartitionScheme& scheme : objective::partition_schemes()) {
    text += (text.empty() ? "" : " | ") + scheme.usage;
  }
  return text;
}

void add_model(OptionTable& table) {
  table.begin_section("model");
  table.add(text(
      {.name = "model",
       .value = "NAME",
       .help = "what is trained: starling list models",
       .synonyms = {"network", "net"}},
      [](auto& s) -> auto& { return s.experiment.model; }));
  table.add(real_number(
      {.name = "l2",
       .value = "X",
       .help = "weight of the squared norm in the loss",
       .refusal = only_for_models({"logistic"})},
      {},
      [](auto& s) -> auto& { return s.experiment.l2; }));
}

void add_data(OptionTable& table) {
  table.begin_section("data");
  table.add(text(
      {.name = "data",
       .value = "NAME",
       .help = "what is learned from: starling list data",
       .synonyms = {"dataset"},
       .refusal = only_for_models_with_data_unless_none()},
      [](auto& s) -> auto& { return s.experiment.data; }));
  table.add(text(
      {.name = "data-dir",
       .value = "DIR",
       .help = "folder of the data files; the system's folder if not given",
       .synonyms = {"data-directory", "data-path"},
       .refusal = only_for_models_with_data()},
      [](auto& s) -> auto& { return s.experiment.data_directory; }));
  table.add(text(
      {.name = "partition",
       .value = "SCHEME",
       .help = "which peer gets which samples",
       .synonyms = {"split"},
       .refusal = only_for_models_with_data(),
       .range = partition_usages()},
      [](auto& s) -> auto& { return s.experiment.partition; }));
  table.add(whole_number(
      {.name = "batch",
       .value = "N",
       .help = "samples in a mini-batch of one peer",
       .synonyms = {"batch-size", "minibatch"},
       .refusal = only_for_models_with_data()},
      {1, std::numeric_limits<std::uint32_t>::max()},
      [](auto& s) -> auto& { return s.experiment.batch; }));
  table.add(choice<LastBatch>(
      {.name = "last-batch",
       .value = "POLICY",
       .help = "what becomes of short batches and of peers with fewer batches",
       .refusal = only_for_models_with_data()},
      named({LastBatch::join_out, LastBatch::drop_last, LastBatch::pad}),
      [](auto& s) -> auto& { return s.experiment.last_batch; }));
}

void add_optimizer(OptionTable& table) {
  table.begin_section("optimizer");
  table.add(text(
      {.name = "optimizer",
       .value = "NAME",
       .help = "the local step",
       .synonyms = {"optim"},
       .range = "sgd | momentum | nesterov | adam"},
      [](auto& s) -> auto& { return s.experiment.optimizer.name; }));
  table.add(real_number(
      {.name = "momentum",
       .value = "X",
       .help = "how much of the last direction stays",
       .refusal = only_for_optimizers({"momentum", "nesterov"})},
      kBelowOne,
      [](auto& s) -> auto& { return s.experiment.optimizer.momentum; }));
  table.add(real_number(
      {.name = "beta1",
       .value = "X",
       .help = "decay of the mean of gradients",
       .refusal = only_for_optimizers({"adam"})},
      kBelowOne,
      [](auto& s) -> auto& { return s.experiment.optimizer.beta1; }));
  table.add(real_number(
      {.name = "beta2",
       .value = "X",
       .help = "decay of the mean of squared gradients",
       .refusal = only_for_optimizers({"adam"})},
      kBelowOne,
      [](auto& s) -> auto& { return s.experiment.optimizer.beta2; }));
  table.add(real_number(
      {.name = "epsilon",
       .value = "X",
       .help = "keeps adam from dividing by zero",
       .synonyms = {"eps"},
       .refusal = only_for_optimizers({"adam"})},
      kAboveZero,
      [](auto& s) -> auto& { return s.experiment.optimizer.epsilon; }));
  table.add(real_number(
      {.name = "weight-decay",
       .value = "X",
       .help = "pull of the parameters to zero; adam: decoupled"},
      {},
      [](auto& s) -> auto& { return s.experiment.optimizer.weight_decay; }));
}

void add_learning_rate(OptionTable& table) {
  table.add(real_number(
      {.name = "lr",
       .value = "X",
       .help = "learning rate",
       .synonyms = {"learning-rate", "step-size", "eta", "gamma"}},
      {},
      [](auto& s) -> auto& { return s.experiment.learning_rate.base; }));
  table.add(text(
      {.name = "lr-schedule",
       .value = "NAME",
       .help = "the learning rate over the run",
       .synonyms = {"schedule", "scheduler"},
       .range = "constant | step | cosine"},
      [](auto& s) -> auto& { return s.experiment.learning_rate.schedule; }));
  table.add(real_list(
      {.name = "lr-drop-at",
       .value = "X,...",
       .help =
           "where the rate drops: fractions of the run up to 1, its end, or steps above 1; a list",
       .synonyms = {"milestones"},
       .refusal = only_for_schedules({"step"})},
      kAboveZero,
      [](auto& s) -> auto& { return s.experiment.learning_rate.drop_at; }));
  table.add(real_number(
      {.name = "lr-drop-factor",
       .value = "X",
       .help = "what the rate is multiplied with at each drop",
       .refusal = only_for_schedules({"step"})},
      {.most = 1.0, .least_end = RealRange::End::excluded},
      [](auto& s) -> auto& { return s.experiment.learning_rate.drop_factor; }));
  table.add(real_number(
      {.name = "lr-final-fraction",
       .value = "X",
       .help = "last rate over first rate",
       .refusal = only_for_schedules({"cosine"})},
      {.most = 1.0},
      [](auto& s) -> auto& { return s.experiment.learning_rate.final_fraction; }));
  table.add(whole_number(
      {.name = "warmup-steps",
       .value = "N",
       .help = "steps in which the rate grows from 0",
       .synonyms = {"warmup"}},
      {},
      [](auto& s) -> auto& { return s.experiment.learning_rate.warmup_steps; }));
  table.add(real_number(
      {.name = "warmup-epochs",
       .value = "X",
       .help = "the same in epochs; adds to warmup-steps",
       .refusal = only_for_models_with_data()},
      {.most = trainer::kEpochsMax},
      [](auto& s) -> auto& { return s.experiment.warmup_epochs; }));
}

}  // namespace

void add_learning_options(OptionTable& table) {
  add_model(table);
  add_data(table);
  add_optimizer(table);
  add_learning_rate(table);
}

}  // namespace starling::cli
