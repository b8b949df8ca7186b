// Options that several commands have.
#include <utility>

#include "starling/cli/option_rules.hpp"
#include "starling/cli/option_table.hpp"
#include "starling/cli/option_values.hpp"

namespace starling::cli {

namespace {

constexpr RealRange kWait{.least = trainer::kWaitSecondsMin, .most = trainer::kSecondsMax};

}  // namespace

void add_world_options(OptionTable& table, Refusal seed_refusal) {
  table.add(choice<WorldKind>(
      {.name = "on",
       .value = "WORLD",
       .help = "where the peers live",
       .synonyms = {"world", "backend"}},
      {{"threads", WorldKind::threads}, {"sim", WorldKind::simulation}},
      [](auto& s) -> auto& { return s.world.on; }));
  table.add(whole_number(
      {.name = "peers",
       .value = "N",
       .help = "number of peers",
       .synonyms = {"nodes", "workers", "n"}},
      {1, trainer::kPeersMax},
      [](auto& s) -> auto& { return s.experiment.peers; }));
  table.add(whole_number(
      {.name = "seed",
       .value = "N",
       .help = "everything random is drawn from it",
       .synonyms = {"random-seed"},
       .refusal = std::move(seed_refusal),
       .range = limits(WholeRange{})},
      {},
      [](auto& s) -> auto& { return s.experiment.seed; }));
}

void add_wait_options(OptionTable& table) {
  table.add(real_number(
      {.name = "timeout",
       .value = "SECONDS",
       .help = "deadline of every wait for another peer",
       .synonyms = {"deadline"}},
      kWait,
      [](auto& s) -> auto& { return s.experiment.timeout_seconds; }));
  table.add(real_number(
      {.name = "slow-warning",
       .value = "SECONDS",
       .help = "when a wait is first reported; then after twice as long, and so on",
       .refusal = only_below_timeout()},
      kWait,
      [](auto& s) -> auto& { return s.experiment.slow_warning_seconds; }));
}

void add_platform_option(OptionTable& table) {
  table.add(text(
      {.name = "platform",
       .value = "NAME",
       .help = "the network that is simulated: starling list platforms; or a SimGrid file",
       .synonyms = {"network"},
       .refusal = only_in_simulation(),
       .range = "lan | wan | torus:AxB | torus:AxBxC | FILE"},
      [](auto& s) -> auto& { return s.world.platform; }));
}

void add_folder_options(OptionTable& table, const std::string& files, Refusal overwrite_refusal) {
  table.add(text(
      {.name = "out",
       .value = "DIR",
       .help = "gets " + files,
       .synonyms = {"output", "output-dir", "log-dir"}},
      [](auto& s) -> auto& { return s.experiment.out; }));
  table.add(flag(
      {.name = "overwrite",
       .value = "",
       .help = "the folder may hold an earlier run; its files go",
       .synonyms = {"force"},
       .refusal = std::move(overwrite_refusal)},
      [](auto& s) -> auto& { return s.show.overwrite; }));
}

void add_show_options(OptionTable& table, const std::string& json_help) {
  table.add(flag(
      {.name = "json", .value = "", .help = json_help},
      [](auto& s) -> auto& { return s.show.json; }));
  table.add(flag(
      {.name = "quiet", .value = "", .help = "only errors, no progress", .synonyms = {"silent"}},
      [](auto& s) -> auto& { return s.show.quiet; }));
  table.add(flag(
      {.name = "verbose",
       .value = "",
       .help = "every event, down to the single step",
       .synonyms = {"debug"},
       .refusal = only_if_not_quiet()},
      [](auto& s) -> auto& { return s.show.verbose; }));
}

}  // namespace starling::cli
