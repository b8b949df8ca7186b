// Which peer learns on which samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "starling/objective/dataset.hpp"

namespace starling::objective {

/// Sample indices by peer: disjoint, and together all of the data set.
using Partition = std::vector<std::vector<std::uint32_t>>;

struct PartitionOptions {
  std::string scheme = "iid";  ///< iid | dirichlet:ALPHA | shards:K | own (synthetic data: as drawn)
  std::size_t peers = 1;
  std::uint64_t seed = 1;
};

/// A pure function of (labels, options): the same on every peer and machine.
/// @throws ConfigError for an unknown scheme or a value out of range
Partition make_partition(const Dataset& data, const PartitionOptions& options);

}  // namespace starling::objective
