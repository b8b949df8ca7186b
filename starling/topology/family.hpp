// What a family of topologies is asked for, and how it refuses. Not part of the public interface: a
// family is one function from a Request to a topology and one line of the table in catalog.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "starling/topology/graph.hpp"
#include "starling/topology/topology.hpp"
#include "starling/topology/weights.hpp"

namespace starling::topology {

struct Request {
  std::string name;                     ///< as the user wrote it
  std::optional<std::string> argument;  ///< what stands behind the first colon
  std::size_t peers = 1;
  std::uint64_t seed = 1;
  WeightRule weights = WeightRule::natural;
  bool columns_suffice = false;  ///< for push-sum
};

using Made = std::shared_ptr<const Topology>;  // shared by all peers of a process that mix with it

/// Throws ConfigError "topology NAME: REASON".
[[noreturn]] void refuse(const Request& request, const std::string& reason);

/// Refuses an argument where the family takes none.
void require_no_argument(const Request& request);

/// K of "NAME:K", the largest number of neighbours in a round; `fallback` without an argument.
/// Refuses what is no number from 1.
std::size_t degree_of(const Request& request, std::size_t fallback);

/// Refuses every rule but auto and lazy, where the weights are what the family is about.
void require_own_weights(const Request& request);

/// A periodic sequence of matrices given by their entries off the diagonal, halved if the request
/// is lazy; no rounds: one idle round.
Made make_arcs(const Request& request, std::vector<std::vector<Arc>> rounds);

/// A periodic sequence of graphs, each weighted by the request's rule; one graph is a fixed
/// topology.
Made make_rounds(const Request& request, const std::vector<Graph>& graphs);
Made make_fixed(const Request& request, const Graph& graph);

/// ceil(log2 n): the bit length of n - 1; 0 for n = 1. @pre n >= 1
std::size_t ceil_log2(std::size_t n);

}  // namespace starling::topology
