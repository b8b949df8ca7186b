// The table of averagers, and making one from its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "starling/mixing/averager.hpp"

namespace starling::mixing {

struct AveragerOptions {
  std::string name = "exponential";  ///< with its arguments behind colons
  std::size_t peers = 1;
  std::uint64_t seed = 1;                         ///< of random graphs and cells
  std::string weights = "auto";                   ///< of the edges of a topology
  std::string collective = "auto";                ///< of exact averages
  std::string grid;                               ///< "32x32"; empty: the most square one
  GridWeights grid_weights = GridWeights::equal;  ///< cycles follow each other without end
};

/// One line of `starling list averagers`.
struct AveragerEntry {
  std::string name;                  ///< "moshpit-grid", "push-sum:TOPOLOGY"
  std::string summary;               ///< one sentence
  std::string with_absent;           ///< what a round does about peers that are absent
  std::vector<std::string> options;  ///< of AveragerOptions, by their names on the command line
};

std::span<const AveragerEntry> averager_catalog();

/// The line that `name` stands on; every topology stands on the line TOPOLOGY.
/// @throws ConfigError for an unknown name, with the nearest one
const AveragerEntry& find_averager(const std::string& name);

/// What the peers of a process share.
struct PreparedAverager {
  std::string how;  ///< for people: "gossip over ring", "all-reduce by ring"
  MakeAverager make;
};

/// @throws ConfigError for an unknown name, arguments that do not parse, a topology, grid or
/// collective that does not exist for these peers, weights that do not keep the mean
PreparedAverager prepare_averager(const AveragerOptions& options);

}  // namespace starling::mixing
