// Options of what is run: [run] and [algorithm].
#include <limits>
#include <map>

#include "starling/algorithm/registry.hpp"
#include "starling/cli/option_rules.hpp"
#include "starling/cli/option_table.hpp"
#include "starling/cli/option_values.hpp"
#include "starling/core/text.hpp"

namespace starling::cli {

namespace {

using algorithm::Order;
using trainer::Injection;

/// PEER:STEP:nan or PEER:STEP:inf.
std::string read_injection(const std::string& text, Injection& injection) {
  const std::vector<std::string> parts = split(text, ':');
  const bool is_whole = parts.size() == 3;
  const bool inf = is_whole && parts[2] == "inf";
  const auto peer = is_whole ? parse_size(parts[0]) : std::nullopt;
  const auto step = is_whole ? parse_size(parts[1]) : std::nullopt;
  if (!peer || !step || (!inf && parts[2] != "nan")) {
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
      if (!wrong.empty()) {
        return wrong;
      }
    }
    settings.experiment.injections = std::move(list);
    return std::string();
  };
  option.show = [](const Settings& settings) {
    std::string list;
    for (const Injection& one : settings.experiment.injections) {
      list += (list.empty() ? "" : ", ") + toml_text(to_string(one));
    }
    return list.empty() ? list : "[" + list + "]";
  };
  return option;
}

/// "exponential for dsgd, sgp; full for local-sgd".
template <class OfEntry>
std::string defaults_by_algorithm(OfEntry default_of) {
  std::map<std::string, std::string> users;
  for (const algorithm::Entry& entry : algorithm::registry()) {
    const std::string value = default_of(entry);
    if (!value.empty()) {
      std::string& names = users[value];
      names += (names.empty() ? "" : ", ") + entry.name;
    }
  }
  std::string text;
  for (const auto& [value, names] : users) {
    text.append(text.empty() ? "" : "; ").append(value).append(" for ").append(names);
  }
  return text;
}

/// Makes `option` show what the chosen algorithm does where the user has said nothing (`unset`).
/// `default_of` gives the words for an entry of the registry, empty if it has none.
template <class OfEntry>
Option with_algorithms_default(Option option, const std::string& unset, OfEntry default_of) {
  option.standard = defaults_by_algorithm(default_of);
  const bool is_text = option.kind == ValueKind::text;
  option.show =
      [show = std::move(option.show), unset, is_text, default_of](const Settings& settings) {
        std::string value = show(settings);
        if (value != unset) {
          return value;
        }
        for (const algorithm::Entry& entry : algorithm::registry()) {
          if (entry.name == settings.experiment.algorithm) {
            const std::string standard = default_of(entry);
            return is_text && !standard.empty() ? toml_text(standard) : standard;
          }
        }
        return std::string();
      };
  return option;
}

void add_run(OptionTable& table) {
  table.begin_section("run");
  add_world_options(table);
  table.add(whole_number(
      {.name = "steps",
       .value = "N",
       .help = "length of the run in steps of every peer; instead of epochs",
       .synonyms = {"iterations", "max-steps"},
       .range = limits(WholeRange{.least = 1})},
      {.least = 1},
      [](auto& s) -> auto& { return s.experiment.steps; }));
  table.add(real_number(
      {.name = "epochs",
       .value = "X",
       .help = "length of the run in passes over the data; 1 if neither is given"},
      {.most = trainer::kEpochsMax, .least_end = RealRange::End::excluded},
      [](auto& s) -> auto& { return s.experiment.epochs; }));
  table.add(choice<NotFinite>(
      {.name = "not-finite",
       .value = "POLICY",
       .help = "what happens when a peer computes NaN or infinity",
       .synonyms = {"nan", "on-nan"}},
      named({NotFinite::stop, NotFinite::skip_peer, NotFinite::skip_round}),
      [](auto& s) -> auto& { return s.experiment.not_finite; }));
  table.add(injections({.name = "inject",
                        .value = "PEER:STEP:nan",
                        .help = "put NaN or infinity into the gradient of a peer in a step, both "
                                "counted from 0; a list"}));
  add_wait_options(table);
}

void add_algorithm(OptionTable& table) {
  table.begin_section("algorithm");
  table.add(text(
      {.name = "algorithm",
       .value = "NAME",
       .help = "how the peers agree: starling list algorithms",
       .synonyms = {"method"}},
      [](auto& s) -> auto& { return s.experiment.algorithm; }));
  table.add(with_algorithms_default(
      text(
          {.name = "topology",
           .value = "NAME",
           .help = "who talks to whom, the algorithm's own if not given: starling list topologies; "
                   "file:PATH reads edges",
           .synonyms = {"graph"}},
          [](auto& s) -> auto& { return s.experiment.algorithm_options.topology; }),
      "",
      [](const algorithm::Entry& entry) { return entry.default_topology; }));
  table.add(text(
      {.name = "weights",
       .value = "RULE",
       .help = "weights of the edges; auto takes what the topology is known for",
       .refusal = only_for_algorithms_with("weights"),
       .range = "auto | uniform | metropolis-hastings | lazy | push"},
      [](auto& s) -> auto& { return s.experiment.algorithm_options.weights; }));
  table.add(text(
      {.name = "collective",
       .value = "NAME",
       .help = "how exact averages travel: starling list collectives",
       .synonyms = {"allreduce"},
       .refusal = only_for_algorithms_with("collective")},
      [](auto& s) -> auto& { return s.experiment.algorithm_options.collective; }));
  table.add(with_algorithms_default(
      whole_number(
          {.name = "period",
           .value = "N",
           .help = "steps between averages; the algorithm's own if not given",
           .synonyms = {"local-steps"},
           .refusal = only_for_algorithms_with("period")},
          {.least = 1},
          [](auto& s) -> auto& { return s.experiment.algorithm_options.period; }),
      "0",
      [](const algorithm::Entry& entry) {
        return entry.default_period == 0 ? std::string() : std::to_string(entry.default_period);
      }));
  table.add(choice<Order>(
      {.name = "order",
       .value = "ORDER",
       .help = "whether the exchange follows the gradient or runs beside it",
       .refusal = only_for_algorithms_with("order")},
      named({Order::adapt_then_combine, Order::combine_while_computing}),
      [](auto& s) -> auto& { return s.experiment.algorithm_options.order; }));
  table.add(whole_number(
      {.name = "ports",
       .value = "N",
       .help = "1: send to the peer one receives from, even numbers of peers; 2: to another, any "
               "number",
       .refusal = only_for_algorithms_with("ports"),
       .range = "1 | 2"},
      {.least = 1, .most = 2},
      [](auto& s) -> auto& { return s.experiment.algorithm_options.ports; }));
  table.add(choice<OnLoss>(
      {.name = "on-loss",
       .value = "POLICY",
       .help = "whether the run ends with a lost neighbour or goes on without it",
       .refusal = only_for_algorithms_with("on-loss")},
      named({OnLoss::stop, OnLoss::continue_}),
      [](auto& s) -> auto& { return s.experiment.algorithm_options.on_loss; }));
}

}  // namespace

void add_run_options(OptionTable& table) {
  add_run(table);
  add_algorithm(table);
}

}  // namespace starling::cli
