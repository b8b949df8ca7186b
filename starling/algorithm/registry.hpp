// The table of algorithms: one line a system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "starling/algorithm/algorithm.hpp"
#include "starling/algorithm/options.hpp"
#include "starling/topology/topology.hpp"

namespace starling::algorithm {

/// What an algorithm is made from, once a peer. `topology` is made once for all peers of a process;
/// null where the algorithm uses none.
struct Making {
  AlgorithmOptions options;
  std::shared_ptr<const topology::Topology> topology;
};

/// What an algorithm asks of its mixing matrices.
enum class Mixing : std::uint8_t {
  none,               ///< exact averages only, no topology
  doubly_stochastic,  ///< rows and columns sum to 1
  push_sum,           ///< columns sum to 1
  ceca,               ///< partners and weights of its own, on two vectors a peer
};

/// One line of `starling list algorithms`.
struct Entry {
  std::string name;
  std::string summary;    ///< one sentence
  std::string reference;  ///< authors, year, arXiv number
  Traits traits;
  Mixing mixing = Mixing::none;
  std::string default_topology;      ///< empty: uses none
  bool exact_on_full = false;        ///< topology "full" stands for the exact all-reduce
  std::uint64_t default_period = 0;  ///< steps between averages; 0: has no period
  std::vector<std::string> options;  ///< of AlgorithmOptions, by their names on the command line
  std::unique_ptr<Algorithm> (*make)(const Making& making);
  /// Refuses options that do not fit the number of peers; null: all do that a topology takes.
  void (*check)(const AlgorithmOptions& options, std::size_t peers) = nullptr;
};

std::span<const Entry> registry();

/// @throws ConfigError for an unknown name, with the nearest one
const Entry& find_algorithm(const std::string& name);

/// The topology this algorithm mixes over, checked against what it needs; null if it uses none.
/// @throws ConfigError if the topology does not exist for n or its matrices do not fit the
/// algorithm, or if the algorithm's own check refuses
std::shared_ptr<const topology::Topology> make_mixing(const Entry& entry,
                                                      const AlgorithmOptions& options,
                                                      std::size_t peers,
                                                      std::uint64_t seed);

}  // namespace starling::algorithm
