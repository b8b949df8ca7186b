#include "starling/topology/weights.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/text.hpp"

namespace starling::topology {

namespace {

const std::array<std::string, 5>& rule_words() {  // in the order of the enumerators
  static const std::array<std::string, 5> words{
      "auto", "uniform", "metropolis-hastings", "lazy", "push"};
  return words;
}

double arc_weight(const Graph& graph, WeightRule rule, std::size_t from, std::size_t to) {
  const auto share = [](std::size_t degree) { return 1.0 / static_cast<double>(degree + 1); };
  const std::size_t larger = std::max(graph.out(from).size(), graph.out(to).size());
  switch (rule) {
    case WeightRule::uniform:
      return share(graph.largest_degree());
    case WeightRule::lazy:
      return 0.5 * share(larger);
    case WeightRule::push:
      return share(graph.out(from).size());
    case WeightRule::natural:
    case WeightRule::metropolis_hastings:
      break;
  }
  return share(larger);
}

}  // namespace

WeightRule parse_weight_rule(const std::string& text) {
  const auto& words = rule_words();
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) {
    throw ConfigError("weights: unknown rule '" + text + "'" + suggestion(text, words));
  }
  return static_cast<WeightRule>(found - words.begin());
}

const std::string& to_string(WeightRule rule) {
  return rule_words().at(static_cast<std::size_t>(rule));
}

double remainder_of(const std::vector<Link>& links) {
  double sum = 0.0;
  for (const Link& link : links) {
    sum += link.weight;
  }
  return 1.0 - sum;
}

std::vector<MixingRow> rows_from_arcs(std::size_t peers, std::vector<Arc> arcs, Complete complete) {
  std::vector<MixingRow> rows(peers);
  std::sort(arcs.begin(), arcs.end(), [](const Arc& a, const Arc& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  for (const Arc& arc : arcs) {  // by sender, then receiver: every list comes out by rank
    ensure(arc.from < peers && arc.to < peers && arc.from != arc.to,
           "an arc joins two different ranks",
           arc.from,
           arc.to,
           peers);
    rows[arc.to].receives.push_back({arc.from, arc.weight});
    rows[arc.from].sends.push_back({arc.to, arc.weight});
  }
  for (MixingRow& row : rows) {
    row.self_weight = remainder_of(complete == Complete::rows ? row.receives : row.sends);
  }
  return rows;
}

std::vector<MixingRow> weighted_rows(const Graph& graph, WeightRule rule) {
  ensure(rule == WeightRule::push || graph.is_undirected(),
         "only push weights fit a directed graph",
         to_string(rule));
  std::vector<Arc> arcs;
  for (std::size_t from = 0; from < graph.size(); ++from) {
    for (const std::size_t to : graph.out(from)) {
      arcs.push_back({from, to, arc_weight(graph, rule, from, to)});
    }
  }
  return rows_from_arcs(
      graph.size(), std::move(arcs), rule == WeightRule::push ? Complete::columns : Complete::rows);
}

}  // namespace starling::topology
