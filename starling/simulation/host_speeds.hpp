// How fast the hosts of a simulated run are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace starling::simulation {

/// One speed a peer; 1 is the machine the costs were measured on.
/// `speeds`: empty (all 1), one number for all, one a peer joined by commas, or "0.5..2": evenly
/// drawn from the seed. `stragglers` divides some: "11x10" makes peer 11 ten times slower, "5%x4"
/// every peer with a chance of 5 % four times; several joined by commas.
/// @throws ConfigError
std::vector<double> plan_speeds(std::string_view speeds,
                                std::string_view stragglers,
                                std::size_t peers,
                                std::uint64_t seed);

}  // namespace starling::simulation
