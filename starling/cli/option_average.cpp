// Options of `starling average`: [run], [averaging], [simulation] and [output].
#include <limits>

#include "starling/cli/option_rules.hpp"
#include "starling/cli/option_table.hpp"
#include "starling/cli/option_values.hpp"

namespace starling::cli {

namespace {

using mixing::GridWeights;

constexpr std::uint64_t kElementsMax = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kRoundsMax = 1'000'000;

void add_experiment(OptionTable& table) {
  table.begin_section("averaging");
  table.add(text(
      {.name = "averager",
       .value = "NAME",
       .help = "how the peers average: starling list averagers, or any of starling list topologies",
       .synonyms = {"algorithm", "topology", "method", "mixing"}},
      [](auto& s) -> auto& { return s.averaging.averager.name; }));
  table.add(whole_number(
      {.name = "dim",
       .value = "N",
       .help = "numbers in the vector of a peer, drawn from N(0, 1)",
       .synonyms = {"dimension", "elements", "size"}},
      {1, kElementsMax},
      [](auto& s) -> auto& { return s.averaging.elements; }));
  table.add(whole_number(
      {.name = "rounds",
       .value = "N",
       .help = "length of a repeat",
       .synonyms = {"steps", "iterations"}},
      {1, kRoundsMax},
      [](auto& s) -> auto& { return s.averaging.rounds; }));
  table.add(real_number(
      {.name = "failure-rate",
       .value = "P",
       .help = "probability that a peer takes no part in a round, each round and peer for itself",
       .synonyms = {"failures", "failure-probability"}},
      {.most = 1.0},
      [](auto& s) -> auto& { return s.averaging.failure_rate; }));
  table.add(whole_number(
      {.name = "repeats",
       .value = "N",
       .help = "experiments whose mean is shown; the next one has the next seed",
       .synonyms = {"repetitions", "trials", "seeds"}},
      {1, kRoundsMax},
      [](auto& s) -> auto& { return s.averaging.repeats; }));
}

void add_averager(OptionTable& table) {
  table.add(text(
      {.name = "weights",
       .value = "RULE",
       .help = "weights of the edges of a topology; auto takes what it is known for",
       .refusal = only_for_averagers_with("weights"),
       .range = "auto | uniform | metropolis-hastings | lazy | push"},
      [](auto& s) -> auto& { return s.averaging.averager.weights; }));
  table.add(text(
      {.name = "collective",
       .value = "NAME",
       .help = "how exact averages travel: starling list collectives",
       .synonyms = {"allreduce"},
       .refusal = only_for_averagers_with("collective")},
      [](auto& s) -> auto& { return s.averaging.averager.collective; }));
  table.add(text(
      {.name = "grid",
       .value = "AxB",
       .help = "cells for the peers, any number of axes; the most square one with two if not given",
       .synonyms = {"dims"},
       .refusal = only_for_averagers_with("grid"),
       .range = "AxB | AxBxC | ..."},
      [](auto& s) -> auto& { return s.averaging.averager.grid; }));
  table.add(choice<GridWeights>(
      {.name = "grid-weights",
       .value = "RULE",
       .help = "whether vectors in a group weigh the same, which keeps the mean, or as many as are "
               "behind them",
       .refusal = only_for_averagers_with("grid-weights")},
      named({GridWeights::equal, GridWeights::counts}),
      [](auto& s) -> auto& { return s.averaging.averager.grid_weights; }));
}

}  // namespace

void add_average_options(OptionTable& table) {
  table.begin_section("run");
  add_world_options(table);
  add_wait_options(table);
  add_experiment(table);
  add_averager(table);
  table.begin_section("simulation");
  add_platform_option(table);
  table.begin_section("output");
  add_folder_options(table, "config.toml and summary.json", only_with_result_folder());
  add_show_options(table);
}

}  // namespace starling::cli
