// Options of `starling bench`: [run], [bench], [simulation] and [output].
#include "starling/cli/bench_sizes.hpp"
#include "starling/cli/option_rules.hpp"
#include "starling/cli/option_table.hpp"
#include "starling/cli/option_values.hpp"
#include "starling/core/text.hpp"

namespace starling::cli {

namespace {

using collective::DataType;
using collective::Operation;
using collective::Reduction;

constexpr std::uint64_t kRepeatsMax = 1'000'000;

/// Texts with commas between them. @param check says what is wrong with them, if anything is
template <class Access>
Option texts(Option option,
             Access access,
             std::function<std::string(const std::vector<std::string>&)> check) {
  option.kind = ValueKind::texts;
  option.set = [access, check = std::move(check)](Settings& settings, const std::string& text) {
    std::vector<std::string> parts = split(text, ',');
    std::string wrong = check(parts);
    if (wrong.empty()) {
      access(settings) = std::move(parts);
    }
    return wrong;
  };
  option.show = [access](const Settings& settings) {
    std::string list;
    for (const std::string& one : access(settings)) {
      list += (list.empty() ? "" : ", ") + toml_text(one);
    }
    return "[" + list + "]";
  };
  return option;
}

std::string check_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name.empty()) {
      return "expected names with commas between them";
    }
  }
  return {};
}

std::string check_sizes(const std::vector<std::string>& sizes) {
  std::string wrong;
  read_sizes(sizes, wrong);
  return wrong;
}

void add_what(OptionTable& table) {
  table.begin_section("bench");
  table.add(choice<Operation>(
      {.name = "operation",
       .value = "NAME",
       .help = "what the group does; may stand without its name: starling bench broadcast",
       .synonyms = {"collective"}},
      named({Operation::all_reduce,
             Operation::all_gather,
             Operation::reduce_scatter,
             Operation::broadcast,
             Operation::reduce,
             Operation::scatter,
             Operation::gather,
             Operation::all_to_all,
             Operation::barrier}),
      [](auto& s) -> auto& { return s.timing.operation; }));
  Option algorithm = texts(
      {.name = "algorithm",
       .value = "NAME,...",
       .help = "starling list collectives, with parameters as there; all: every one that fits",
       .synonyms = {"algorithms"},
       .range = "auto | all | NAME, ..."},
      [](auto& s) -> auto& { return s.timing.algorithms; },
      check_names);
  algorithm.standard = "auto";
  table.add(std::move(algorithm));
  Option sizes = texts(
      {.name = "sizes",
       .value = "SIZE,...",
       .help = "bytes of the vector (of an all-to-all: that one peer sends); a range goes up in "
               "steps of four",
       .synonyms = {"size", "bytes"},
       .refusal = only_for_operations_with(Part::vector),
       .range = "64KiB, ... | 1KiB..64MiB"},
      [](auto& s) -> auto& { return s.bench.sizes; },
      check_sizes);
  sizes.standard = "1KiB..64MiB";
  table.add(std::move(sizes));
}

void add_how(OptionTable& table) {
  table.add(choice<DataType>(
      {.name = "type",
       .value = "TYPE",
       .help = "what the vector is made of",
       .synonyms = {"dtype", "data-type"},
       .refusal = only_for_operations_with(Part::vector)},
      named({DataType::f32,
             DataType::f64,
             DataType::f16,
             DataType::bf16,
             DataType::i32,
             DataType::i64}),
      [](auto& s) -> auto& { return s.timing.type; }));
  table.add(choice<Reduction>(
      {.name = "reduction",
       .value = "NAME",
       .help = "how the vectors of the peers become one",
       .synonyms = {"op"},
       .refusal = only_for_operations_with(Part::reduction)},
      named({Reduction::sum, Reduction::mean, Reduction::min, Reduction::max, Reduction::product}),
      [](auto& s) -> auto& { return s.timing.reduction; }));
  table.add(whole_number(
      {.name = "root",
       .value = "RANK",
       .help = "who has the vector, or gets it",
       .refusal = only_for_operations_with(Part::root)},
      {},
      [](auto& s) -> auto& { return s.timing.root; }));
  table.add(whole_number(
      {.name = "repeats",
       .value = "N",
       .help = "timed calls of a row, each begun together; 0: nine batches of 20 ms",
       .synonyms = {"repetitions", "iterations"},
       .refusal = only_on_threads()},
      {0, kRepeatsMax},
      [](auto& s) -> auto& { return s.timing.repeats; }));
}

}  // namespace

void add_bench_options(OptionTable& table) {
  table.begin_section("run");
  add_world_options(table, only_where_the_network_is_drawn());
  add_wait_options(table);
  add_what(table);
  add_how(table);
  table.begin_section("simulation");
  add_platform_option(table);
  table.begin_section("output");
  table.add(text(
      {.name = "plot",
       .value = "FILE",
       .help = "SVG drawing of time by size, predictions dashed",
       .synonyms = {"svg", "out"},
       .refusal = only_for_operations_with(Part::vector)},
      [](auto& s) -> auto& { return s.bench.plot; }));
  add_show_options(table, "print one JSON object a line instead of a table");
}

}  // namespace starling::cli
