// Options of what is around the run: [simulation], [checkpoint] and [output].
#include "starling/cli/option_rules.hpp"
#include "starling/cli/option_table.hpp"
#include "starling/cli/option_values.hpp"

namespace starling::cli {

namespace {

using trainer::OnStorageError;

void add_simulation(OptionTable& table) {
  table.begin_section("simulation");
  add_platform_option(table);
  table.add(text(
      {.name = "faults",
       .value = "FILE|RATES",
       .help =
           "what fails: a file, or rates like kill:0.01, which is the share of the peers that it "
           "hits once in the run; docs/simulation.md",
       .synonyms = {"failures"},
       .refusal = only_in_simulation()},
      [](auto& s) -> auto& { return s.world.faults; }));
  table.add(text(
      {.name = "host-speeds",
       .value = "SPEEDS",
       .help = "how fast the hosts are: one number, one a peer, or LEAST..MOST to draw from",
       .refusal = only_in_simulation()},
      [](auto& s) -> auto& { return s.world.host_speeds; }));
  table.add(text(
      {.name = "stragglers",
       .value = "RULE",
       .help = "slower hosts: 11x10 makes peer 11 ten times slower, 5%x4 each with that chance",
       .synonyms = {"slow"},
       .refusal = only_in_simulation()},
      [](auto& s) -> auto& { return s.world.stragglers; }));
  table.add(real_number(
      {.name = "step-seconds",
       .value = "SECONDS",
       .help =
           "cost of a step on a host of speed 1; 0: measured at the start; config.toml of --out "
           "says how much, and times repeat only with that",
       .refusal = only_in_simulation()},
      {.most = trainer::kSecondsMax},
      [](auto& s) -> auto& { return s.experiment.step_seconds; }));
}

void add_checkpoint(OptionTable& table) {
  table.begin_section("checkpoint");
  table.add(text(
      {.name = "checkpoint-dir",
       .value = "DIR",
       .help = "folder of the checkpoints; <out>/checkpoints if not given"},
      [](auto& s) -> auto& { return s.experiment.checkpoint.directory; }));
  table.add(whole_number(
      {.name = "checkpoint-every",
       .value = "N",
       .help = "steps between checkpoints, and one at the end; 0: only when interrupted",
       .synonyms = {"save-every"},
       .refusal = only_with_folder()},
      {},
      [](auto& s) -> auto& { return s.experiment.checkpoint.every; }));
  table.add(whole_number(
      {.name = "checkpoint-keep",
       .value = "N",
       .help = "complete checkpoints kept",
       .synonyms = {"keep-last"},
       .refusal = only_with_checkpoints()},
      {.least = 1},
      [](auto& s) -> auto& { return s.experiment.checkpoint.keep; }));
  table.add(choice<OnStorageError>(
      {.name = "checkpoint-on-error",
       .value = "POLICY",
       .help = "whether the run ends when a checkpoint cannot be written",
       .refusal = only_with_folder()},
      {{"stop", OnStorageError::stop}, {"continue", OnStorageError::continue_}},
      [](auto& s) -> auto& { return s.experiment.checkpoint.on_error; }));
  table.add(text(
      {.name = "resume",
       .value = "DIR",
       .help = "go on from this checkpoint",
       .synonyms = {"restore", "load"}},
      [](auto& s) -> auto& { return s.experiment.resume; }));
}

void add_output(OptionTable& table) {
  table.begin_section("output");
  add_folder_options(table,
                     "config.toml, metrics.jsonl, summary.json and the checkpoints",
                     only_with_folder_afresh());
  table.add(text(
      {.name = "export-model",
       .value = "FILE",
       .help = "safetensors file of the averaged model",
       .synonyms = {"export"}},
      [](auto& s) -> auto& { return s.experiment.export_model; }));
  table.add(whole_number(
      {.name = "evaluate-every",
       .value = "N",
       .help = "steps between tests of the averaged model on the way; 0: none but at the end",
       .synonyms = {"eval-every"},
       .refusal = only_with_out()},
      {},
      [](auto& s) -> auto& { return s.experiment.evaluate_every; }));
  table.add(whole_number(
      {.name = "metrics-every",
       .value = "N",
       .help = "steps between measurements of consensus; 0: ten a run",
       .synonyms = {"log-every"},
       .refusal = only_with_out()},
      {},
      [](auto& s) -> auto& { return s.experiment.metrics_every; }));
  table.add(whole_number(
      {.name = "evaluation-samples",
       .value = "N",
       .help = "test samples used; 0: all",
       .synonyms = {"test-samples"},
       .refusal = only_for_models_with_data()},
      {},
      [](auto& s) -> auto& { return s.experiment.evaluation_samples; }));
  add_show_options(table);
}

}  // namespace

void add_surrounding_options(OptionTable& table) {
  add_simulation(table);
  add_checkpoint(table);
  add_output(table);
}

}  // namespace starling::cli
