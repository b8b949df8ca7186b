// The table of options. A new option is one entry here; nothing else lists them.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "starling/algorithm/registry.hpp"
#include "starling/cli/option.hpp"
#include "starling/cli/option_rules.hpp"
#include "starling/cli/option_values.hpp"
#include "starling/core/text.hpp"

namespace starling::cli {

namespace {

using algorithm::Order;
using objective::LastBatch;
using trainer::Injection;
using trainer::OnStorageError;

constexpr RealRange kAboveZero{.bound = RealRange::Least::excluded};
constexpr std::uint64_t kMostPeers = 1'000'000;

/// PEER:STEP or PEER:STEP:nan or PEER:STEP:inf.
std::string read_injection(const std::string& text, Injection& injection) {
  const std::vector<std::string> parts = split(text, ':');
  const bool has_value = parts.size() == 3;
  const bool inf = has_value && parts[2] == "inf";
  const auto peer = parse_size(parts[0]);
  const auto step = parts.size() > 1 ? parse_size(parts[1]) : std::nullopt;
  if (parts.size() > 3 || !peer || !step || (has_value && !inf && parts[2] != "nan")) {
    return "expected PEER:STEP:nan or PEER:STEP:inf, found '" + text + "'";
  }
  injection = {.peer = *peer,
               .step = *step,
               .value = inf ? std::numeric_limits<float>::infinity()
                            : std::numeric_limits<float>::quiet_NaN()};
  return {};
}

Option injections(Option option) {
  option.kind = ValueKind::texts;
  option.range = "PEER:STEP:nan | PEER:STEP:inf";
  option.set = [](Settings& settings, const std::string& text) {
    std::vector<Injection> list;
    for (const std::string& part : split(text, ',')) {
      std::string wrong = read_injection(part, list.emplace_back());
      if (!wrong.empty()) { return wrong; }
    }
    settings.experiment.injections = std::move(list);
    return std::string();
  };
  option.show = [](const Settings& settings) {
    std::string list;
    for (const Injection& one : settings.experiment.injections) {
      const std::string value = std::isnan(one.value) ? "nan" : "inf";
      list += (list.empty() ? "" : ", ") +
              toml_text(std::to_string(one.peer) + ":" + std::to_string(one.step) + ":" + value);
    }
    return list.empty() ? list : "[" + list + "]";
  };
  return option;
}

/// Makes `option` show what the chosen algorithm does where the user has said nothing (`unset`).
template <class OfEntry>
Option with_algorithms_default(Option option, const std::string& unset, OfEntry default_of) {
  option.show = [show = std::move(option.show), unset, default_of](const Settings& settings) {
    const std::string value = show(settings);
    if (value != unset) { return value; }
    for (const algorithm::Entry& entry : algorithm::registry()) {
      if (entry.name == settings.experiment.algorithm) { return std::string(default_of(entry)); }
    }
    return std::string();
  };
  return option;
}

void add_run(std::vector<Option>& table) {
  const auto add = [&](Option option) { table.push_back(std::move(option)); };
  add(choice<WorldKind>({.name = "on", .section = "run", .value = "WORLD",
                         .help = "where the peers live", .synonyms = {"world", "backend"}},
                        {{"threads", WorldKind::threads}, {"sim", WorldKind::simulation}},
                        [](auto& s) -> auto& { return s.world.on; }));
  add(whole_number({.name = "peers", .section = "run", .value = "N", .help = "number of peers",
                    .synonyms = {"nodes", "workers", "n"}},
                   {1, kMostPeers}, [](auto& s) -> auto& { return s.experiment.peers; }));
  add(whole_number({.name = "seed", .section = "run", .value = "N",
                    .help = "everything random is drawn from it", .synonyms = {"random-seed"}},
                   {}, [](auto& s) -> auto& { return s.experiment.seed; }));
  add(whole_number({.name = "steps", .section = "run", .value = "N",
                    .help = "length of the run in steps of every peer; instead of epochs",
                    .synonyms = {"iterations", "max-steps"}},
                   {.least = 1}, [](auto& s) -> auto& { return s.experiment.steps; }));
  add(real_number({.name = "epochs", .section = "run", .value = "X",
                   .help = "length of the run in passes over the data; 1 if neither is given"},
                  kAboveZero, [](auto& s) -> auto& { return s.experiment.epochs; }));
  add(choice<NotFinite>({.name = "not-finite", .section = "run", .value = "POLICY",
                         .help = "what happens when a peer computes NaN or infinity",
                         .synonyms = {"nan", "on-nan"}},
                        {{"stop", NotFinite::stop}, {"skip-peer", NotFinite::skip_peer},
                         {"skip-round", NotFinite::skip_round}},
                        [](auto& s) -> auto& { return s.experiment.not_finite; }));
  add(injections({.name = "inject", .section = "run", .value = "PEER:STEP:nan",
                  .help = "put a wrong number into a gradient on purpose; a list"}));
  add(real_number({.name = "timeout", .section = "run", .value = "SECONDS",
                   .help = "deadline of every wait for another peer", .synonyms = {"deadline"}},
                  kAboveZero, [](auto& s) -> auto& { return s.experiment.timeout_seconds; }));
  add(real_number({.name = "slow-warning", .section = "run", .value = "SECONDS",
                   .help = "when a wait is first reported; then after twice as long, and so on"},
                  kAboveZero, [](auto& s) -> auto& { return s.experiment.slow_warning_seconds; }));
}

void add_algorithm(std::vector<Option>& table) {
  const auto add = [&](Option option) { table.push_back(std::move(option)); };
  add(text({.name = "algorithm", .section = "algorithm", .value = "NAME",
            .help = "how the peers agree: starling list algorithms", .synonyms = {"method"}},
           [](auto& s) -> auto& { return s.experiment.algorithm; }));
  add(with_algorithms_default(
      text({.name = "topology", .section = "algorithm", .value = "NAME",
            .help = "who talks to whom: starling list topologies; file:PATH reads edges",
            .synonyms = {"graph"}},
           [](auto& s) -> auto& { return s.experiment.algorithm_options.topology; }),
      "",
      [](const algorithm::Entry& entry) {
        return entry.default_topology.empty() ? "" : toml_text(entry.default_topology);
      }));
  add(text({.name = "weights", .section = "algorithm", .value = "RULE",
            .help = "weights of the edges; auto takes what the topology is known for",
            .refusal = only_for_algorithms_with("weights"),
            .range = "auto | uniform | metropolis-hastings | lazy | push"},
           [](auto& s) -> auto& { return s.experiment.algorithm_options.weights; }));
  add(text({.name = "collective", .section = "algorithm", .value = "NAME",
            .help = "how exact averages travel: starling list collectives",
            .synonyms = {"allreduce"}, .refusal = only_for_algorithms_with("collective")},
           [](auto& s) -> auto& { return s.experiment.algorithm_options.collective; }));
  add(with_algorithms_default(
      whole_number({.name = "period", .section = "algorithm", .value = "N",
                    .help = "steps between averages; the algorithm's own if not given",
                    .synonyms = {"local-steps"}, .refusal = only_for_algorithms_with("period")},
                   {.least = 1},
                   [](auto& s) -> auto& { return s.experiment.algorithm_options.period; }),
      "0",
      [](const algorithm::Entry& entry) {
        return entry.default_period == 0 ? "" : std::to_string(entry.default_period);
      }));
  add(choice<Order>({.name = "order", .section = "algorithm", .value = "ORDER",
                     .help = "whether the exchange follows the gradient or runs beside it",
                     .refusal = only_for_algorithms_with("order")},
                    {{"adapt-then-combine", Order::adapt_then_combine},
                     {"combine-while-computing", Order::combine_while_computing}},
                    [](auto& s) -> auto& { return s.experiment.algorithm_options.order; }));
  add(choice<OnLoss>({.name = "on-loss", .section = "algorithm", .value = "POLICY",
                      .help = "whether the run ends with a lost neighbour or goes on without it",
                      .refusal = only_for_algorithms_with("on-loss")},
                     {{"stop", OnLoss::stop}, {"continue", OnLoss::continue_}},
                     [](auto& s) -> auto& { return s.experiment.algorithm_options.on_loss; }));
}

void add_model_and_data(std::vector<Option>& table) {
  const auto add = [&](Option option) { table.push_back(std::move(option)); };
  add(text({.name = "model", .section = "model", .value = "NAME",
            .help = "what is trained: starling list models", .synonyms = {"network", "net"}},
           [](auto& s) -> auto& { return s.experiment.model; }));
  add(real_number({.name = "l2", .section = "model", .value = "X",
                   .help = "weight of the squared norm in the loss",
                   .refusal = only_for_models({"logistic"})},
                  {}, [](auto& s) -> auto& { return s.experiment.l2; }));
  add(text({.name = "data", .section = "data", .value = "NAME",
            .help = "what is learned from: starling list data", .synonyms = {"dataset"},
            .refusal = only_for_models_with_data_unless_none()},
           [](auto& s) -> auto& { return s.experiment.data; }));
  add(text({.name = "data-dir", .section = "data", .value = "DIR",
            .help = "folder of the data files; the system's folder if not given",
            .synonyms = {"data-directory", "data-path"}, .refusal = only_for_models_with_data()},
           [](auto& s) -> auto& { return s.experiment.data_directory; }));
  add(text({.name = "partition", .section = "data", .value = "SCHEME",
            .help = "which peer gets which samples", .synonyms = {"split"},
            .refusal = only_for_models_with_data(),
            .range = "iid | dirichlet:ALPHA | shards:K | own"},
           [](auto& s) -> auto& { return s.experiment.partition; }));
  add(whole_number({.name = "batch", .section = "data", .value = "N",
                    .help = "samples in a mini-batch of one peer",
                    .synonyms = {"batch-size", "minibatch"},
                    .refusal = only_for_models_with_data()},
                   {1, std::numeric_limits<std::uint32_t>::max()},
                   [](auto& s) -> auto& { return s.experiment.batch; }));
  add(choice<LastBatch>({.name = "last-batch", .section = "data", .value = "POLICY",
                         .help = "what becomes of short batches and of peers with fewer batches",
                         .refusal = only_for_models_with_data()},
                        {{"join-out", LastBatch::join_out}, {"drop-last", LastBatch::drop_last},
                         {"pad", LastBatch::pad}},
                        [](auto& s) -> auto& { return s.experiment.last_batch; }));
}

void add_optimizer(std::vector<Option>& table) {
  const auto add = [&](Option option) { table.push_back(std::move(option)); };
  add(text({.name = "optimizer", .section = "optimizer", .value = "NAME",
            .help = "the local step", .synonyms = {"optim"},
            .range = "sgd | momentum | nesterov | adam"},
           [](auto& s) -> auto& { return s.experiment.optimizer.name; }));
  add(real_number({.name = "momentum", .section = "optimizer", .value = "X",
                   .help = "how much of the last direction stays",
                   .refusal = only_for_optimizers({"momentum", "nesterov"})},
                  {.most = 1.0}, [](auto& s) -> auto& { return s.experiment.optimizer.momentum; }));
  add(real_number({.name = "beta1", .section = "optimizer", .value = "X",
                   .help = "decay of the mean of gradients",
                   .refusal = only_for_optimizers({"adam"})},
                  {.most = 1.0}, [](auto& s) -> auto& { return s.experiment.optimizer.beta1; }));
  add(real_number({.name = "beta2", .section = "optimizer", .value = "X",
                   .help = "decay of the mean of squared gradients",
                   .refusal = only_for_optimizers({"adam"})},
                  {.most = 1.0}, [](auto& s) -> auto& { return s.experiment.optimizer.beta2; }));
  add(real_number({.name = "epsilon", .section = "optimizer", .value = "X",
                   .help = "keeps adam from dividing by zero", .synonyms = {"eps"},
                   .refusal = only_for_optimizers({"adam"})},
                  kAboveZero, [](auto& s) -> auto& { return s.experiment.optimizer.epsilon; }));
  add(real_number({.name = "weight-decay", .section = "optimizer", .value = "X",
                   .help = "pull of the parameters to zero; adam: decoupled"},
                  {}, [](auto& s) -> auto& { return s.experiment.optimizer.weight_decay; }));
}

void add_learning_rate(std::vector<Option>& table) {
  const auto add = [&](Option option) { table.push_back(std::move(option)); };
  add(real_number({.name = "lr", .section = "optimizer", .value = "X", .help = "learning rate",
                   .synonyms = {"learning-rate", "step-size", "eta", "gamma"}},
                  {}, [](auto& s) -> auto& { return s.experiment.learning_rate.base; }));
  add(text({.name = "lr-schedule", .section = "optimizer", .value = "NAME",
            .help = "the learning rate over the run", .synonyms = {"schedule", "scheduler"},
            .range = "constant | step | cosine"},
           [](auto& s) -> auto& { return s.experiment.learning_rate.schedule; }));
  add(real_list({.name = "lr-drop-at", .section = "optimizer", .value = "X,...",
                 .help = "where the rate drops: fractions of the run up to 1, or steps above 1",
                 .synonyms = {"milestones"}, .refusal = only_for_schedules({"step"})},
                kAboveZero, [](auto& s) -> auto& { return s.experiment.learning_rate.drop_at; }));
  add(real_number({.name = "lr-drop-factor", .section = "optimizer", .value = "X",
                   .help = "what the rate is multiplied with at each drop",
                   .refusal = only_for_schedules({"step"})},
                  {.most = 1.0, .bound = RealRange::Least::excluded},
                  [](auto& s) -> auto& { return s.experiment.learning_rate.drop_factor; }));
  add(real_number({.name = "lr-final-fraction", .section = "optimizer", .value = "X",
                   .help = "last rate over first rate", .refusal = only_for_schedules({"cosine"})},
                  {.most = 1.0},
                  [](auto& s) -> auto& { return s.experiment.learning_rate.final_fraction; }));
  add(whole_number({.name = "warmup-steps", .section = "optimizer", .value = "N",
                    .help = "steps in which the rate grows from 0", .synonyms = {"warmup"}},
                   {}, [](auto& s) -> auto& { return s.experiment.learning_rate.warmup_steps; }));
  add(real_number({.name = "warmup-epochs", .section = "optimizer", .value = "X",
                   .help = "the same in epochs; adds to warmup-steps",
                   .refusal = only_for_models_with_data()},
                  {}, [](auto& s) -> auto& { return s.experiment.warmup_epochs; }));
}

void add_simulation(std::vector<Option>& table) {
  const auto add = [&](Option option) { table.push_back(std::move(option)); };
  add(text({.name = "platform", .section = "simulation", .value = "NAME",
            .help = "the network that is simulated: starling list platforms; or a SimGrid file",
            .synonyms = {"network"}, .refusal = only_in_simulation(),
            .range = "lan | wan | torus:AxB | torus:AxBxC | FILE"},
           [](auto& s) -> auto& { return s.world.platform; }));
  add(text({.name = "faults", .section = "simulation", .value = "FILE|RATES",
            .help = "hosts that die, links that fail: a file or rates like kill:0.01",
            .synonyms = {"failures"}, .refusal = only_in_simulation()},
           [](auto& s) -> auto& { return s.world.faults; }));
  add(text({.name = "host-speeds", .section = "simulation", .value = "SPEEDS",
            .help = "how fast the hosts are: one number, one a peer, or LEAST..MOST to draw from",
            .refusal = only_in_simulation()},
           [](auto& s) -> auto& { return s.world.host_speeds; }));
  add(text({.name = "stragglers", .section = "simulation", .value = "RULE",
            .help = "slower hosts: 11x10 makes peer 11 ten times slower, 5%x4 each with that chance",
            .synonyms = {"slow"},
            .refusal = only_in_simulation()},
           [](auto& s) -> auto& { return s.world.stragglers; }));
  add(real_number({.name = "step-seconds", .section = "simulation", .value = "SECONDS",
                   .help = "cost of a step on a host of speed 1; 0: measured at the start",
                   .refusal = only_in_simulation()},
                  {}, [](auto& s) -> auto& { return s.experiment.step_seconds; }));
}

void add_checkpoint(std::vector<Option>& table) {
  const auto add = [&](Option option) { table.push_back(std::move(option)); };
  add(text({.name = "checkpoint-dir", .section = "checkpoint", .value = "DIR",
            .help = "folder of the checkpoints; <out>/checkpoints if not given"},
           [](auto& s) -> auto& { return s.experiment.checkpoint.directory; }));
  add(whole_number({.name = "checkpoint-every", .section = "checkpoint", .value = "N",
                    .help = "steps between checkpoints; 0: only when interrupted",
                    .synonyms = {"save-every"}, .refusal = only_with_folder()},
                   {}, [](auto& s) -> auto& { return s.experiment.checkpoint.every; }));
  add(whole_number({.name = "checkpoint-keep", .section = "checkpoint", .value = "N",
                    .help = "complete checkpoints kept", .synonyms = {"keep-last"},
                    .refusal = only_with_folder()},
                   {.least = 1}, [](auto& s) -> auto& { return s.experiment.checkpoint.keep; }));
  add(choice<OnStorageError>(
      {.name = "checkpoint-on-error", .section = "checkpoint", .value = "POLICY",
       .help = "whether the run ends when a checkpoint cannot be written",
       .refusal = only_with_folder()},
      {{"stop", OnStorageError::stop}, {"continue", OnStorageError::continue_}},
      [](auto& s) -> auto& { return s.experiment.checkpoint.on_error; }));
  add(text({.name = "resume", .section = "checkpoint", .value = "DIR",
            .help = "go on from this checkpoint", .synonyms = {"restore", "load"}},
           [](auto& s) -> auto& { return s.experiment.resume; }));
}

void add_output(std::vector<Option>& table) {
  const auto add = [&](Option option) { table.push_back(std::move(option)); };
  add(text({.name = "out", .section = "output", .value = "DIR",
            .help = "gets config.toml, metrics.jsonl, summary.json and the checkpoints",
            .synonyms = {"output", "output-dir", "log-dir"}},
           [](auto& s) -> auto& { return s.experiment.out; }));
  add(flag({.name = "overwrite", .section = "output", .value = "",
            .help = "the folder may hold an earlier run; its files go",
            .synonyms = {"force"}, .refusal = only_with_folder()},
           [](auto& s) -> auto& { return s.show.overwrite; }));
  add(text({.name = "export-model", .section = "output", .value = "FILE",
            .help = "safetensors file of the averaged model", .synonyms = {"export"}},
           [](auto& s) -> auto& { return s.experiment.export_model; }));
  add(whole_number({.name = "evaluate-every", .section = "output", .value = "N",
                    .help = "steps between tests of the averaged model; 0: at the end",
                    .synonyms = {"eval-every"}},
                   {}, [](auto& s) -> auto& { return s.experiment.evaluate_every; }));
  add(whole_number({.name = "metrics-every", .section = "output", .value = "N",
                    .help = "steps between measurements of consensus; 0: ten a run",
                    .synonyms = {"log-every"}},
                   {}, [](auto& s) -> auto& { return s.experiment.metrics_every; }));
  add(whole_number({.name = "evaluation-samples", .section = "output", .value = "N",
                    .help = "test samples used; 0: all", .synonyms = {"test-samples"},
                    .refusal = only_for_models_with_data()},
                   {}, [](auto& s) -> auto& { return s.experiment.evaluation_samples; }));
  add(flag({.name = "json", .section = "output", .value = "",
            .help = "print the summary as JSON instead of a table"},
           [](auto& s) -> auto& { return s.show.json; }));
  add(flag({.name = "quiet", .section = "output", .value = "",
            .help = "only errors, no progress", .synonyms = {"silent"}},
           [](auto& s) -> auto& { return s.show.quiet; }));
  add(flag({.name = "verbose", .section = "output", .value = "",
            .help = "every event, down to the single step", .synonyms = {"debug"}},
           [](auto& s) -> auto& { return s.show.verbose; }));
}

std::vector<Option> make_table() {
  std::vector<Option> table;
  add_run(table);
  add_algorithm(table);
  add_model_and_data(table);
  add_optimizer(table);
  add_learning_rate(table);
  add_simulation(table);
  add_checkpoint(table);
  add_output(table);
  return table;
}

}  // namespace

std::span<const Option> options() {
  static const std::vector<Option> table = make_table();
  return table;
}

const Option* find_option(std::string_view name) {
  const auto table = options();
  const auto found = std::find_if(
      table.begin(), table.end(), [&](const Option& option) { return option.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::string suggest_option(std::string_view name) {
  std::string word(name);
  std::replace(word.begin(), word.end(), '_', '-');
  std::vector<std::string> words;
  std::vector<const Option*> owners;
  for (const Option& option : options()) {
    words.push_back(option.name);
    owners.push_back(&option);
    for (const std::string& synonym : option.synonyms) {
      words.push_back(synonym);
      owners.push_back(&option);
    }
  }
  const auto nearest = nearest_name(word, words);
  if (!nearest) { return "; see starling train --help"; }
  const auto at = std::find(words.begin(), words.end(), *nearest) - words.begin();
  return "; did you mean '" + owners[static_cast<std::size_t>(at)]->name + "'?";
}

}  // namespace starling::cli
