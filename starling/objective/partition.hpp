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
  std::string scheme = "iid";  ///< see partition_schemes()
  std::size_t peers = 1;
  std::uint64_t seed = 1;
};

/// One line a scheme, e.g. "dirichlet:ALPHA", and what it does.
struct PartitionScheme {
  std::string usage;
  std::string summary;
};

std::span<const PartitionScheme> partition_schemes();

/// A pure function of (labels, options): the same on every peer. Peers may get no sample at all;
/// what that means is decided by LastBatch.
/// @throws ConfigError for an unknown scheme or a value out of range
Partition make_partition(const Dataset& data, const PartitionOptions& options);

}  // namespace starling::objective
