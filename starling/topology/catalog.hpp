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

struct TopologyOptions {
  std::string name = "ring";     ///< with its arguments behind colons
  std::string weights = "auto";  ///< auto | uniform | metropolis-hastings | lazy | push
  std::size_t peers = 1;
  std::uint64_t seed = 1;  ///< of random graphs; the run's seed
};

/// @throws ConfigError for an unknown name (with the nearest one), arguments that do not parse, a
/// shape that does not exist for this n (with the nearest n or shape that does), a file that fails
/// its checks
std::shared_ptr<const Topology> make_topology(const TopologyOptions& options);

}  // namespace starling::topology
