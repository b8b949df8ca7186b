// The rules that put weights on the edges of a graph.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "starling/topology/graph.hpp"
#include "starling/topology/topology.hpp"

namespace starling::topology {

/// How the edges of a graph are weighted. d is the number of neighbours, out(j) of those j sends
/// to.
enum class WeightRule {
  natural,              ///< "auto": the family's own choice; metropolis-hastings where it has none
  uniform,              ///< 1/(d_max + 1) on every edge
  metropolis_hastings,  ///< 1/(1 + max(d_i, d_j))
  lazy,                 ///< (I + W)/2 of the natural W: no negative eigenvalue if W is symmetric
  push,                 ///< 1/(out(j) + 1) on what j sends: columns sum to 1, for push-sum
};

/// @throws ConfigError for an unknown rule, with the nearest one
WeightRule parse_weight_rule(const std::string& text);

/// The option's word for a rule: "auto", "uniform", ...
const std::string& to_string(WeightRule rule);

/// Which sums the weight a peer keeps for itself completes to 1.
enum class Complete { rows, columns };

/// One entry w_ij of a mixing matrix off its diagonal.
struct Arc {
  std::size_t from = 0;  ///< j
  std::size_t to = 0;    ///< i
  double weight = 0.0;

  friend bool operator==(const Arc&, const Arc&) = default;
};

/// All rows of the matrix with these entries off the diagonal. Self weights are 1 minus the others
/// summed in rank order, so that a row (or column) summed in rank order, itself last, is exactly 1.
/// @pre every (from, to) at most once, both < peers and different
std::vector<MixingRow> rows_from_arcs(std::size_t peers, std::vector<Arc> arcs, Complete complete);

/// All rows of a graph under a rule.
/// @pre the graph is undirected, or the rule is push
std::vector<MixingRow> weighted_rows(const Graph& graph, WeightRule rule);

/// 1 - sum of the weights, added in the order given.
double remainder_of(const std::vector<Link>& links);

}  // namespace starling::topology
