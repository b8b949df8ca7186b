// What the cost model of the collectives is told of a simulated network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "starling/collective/cost.hpp"
#include "starling/simulation/platform.hpp"

namespace starling::simulation {

/// alpha, beta and the shape of `platform`; gamma is 0, since adding takes no virtual time. Exact
/// for lan and torus as long as nothing is shared that the model does not know; of a wan the means
/// over its hosts. Nothing for a platform file, which only SimGrid understands.
std::optional<collective::LinkModel> link_model(const Platform& platform,
                                                std::size_t peers,
                                                std::uint64_t seed);

}  // namespace starling::simulation
