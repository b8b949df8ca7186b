// The hosts of a platform, made in the engine that is current.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "starling/simulation/platform.hpp"

namespace simgrid::s4u {
class Host;
}

namespace starling::simulation {

/// Fixes the network model for `platform`, builds it, and gives one host a peer, by rank.
/// @throws ConfigError if a platform file cannot be used
std::vector<simgrid::s4u::Host*> build_hosts(const Platform& platform,
                                             std::size_t peers,
                                             std::uint64_t seed);

}  // namespace starling::simulation
