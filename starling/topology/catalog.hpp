// The table of topologies, and making one from its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "starling/topology/topology.hpp"

namespace starling::topology {

/// One line of `starling list topologies`.
struct CatalogEntry {
  std::string name;     ///< "torus:AxB or torus:AxBxC"
  std::string summary;  ///< one sentence
  std::string valid;    ///< for which n it exists
  std::string plain;  ///< the name with its arguments left to their defaults; empty if it needs one
};

std::span<const CatalogEntry> catalog();

/// Which sums of W(t) the mixing needs to be 1.
enum class Needs {
  rows_and_columns,  ///< averages of models
  columns,           ///< push-sum, which divides by the weights that came along
};

struct TopologyOptions {
  std::string name = "ring";     ///< with its arguments behind colons
  std::string weights = "auto";  ///< auto | uniform | metropolis-hastings | lazy | push
  std::size_t peers = 1;
  std::uint64_t seed = 1;                 ///< of random graphs; the run's seed
  Needs needs = Needs::rows_and_columns;  ///< "auto" fits weights to it where rows cannot sum to 1
};

/// @throws ConfigError for an unknown name (with the nearest one), arguments that do not parse, a
/// shape that does not exist for this n (with the nearest n or shape that does), a file that fails
/// its checks
std::shared_ptr<const Topology> make_topology(const TopologyOptions& options);

}  // namespace starling::topology
