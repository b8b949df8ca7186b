// The border between the program and starling-sim.so, which holds the simulated world: SimGrid
// brings 28 libraries that would cost every start of the program, --help included, ten times what
// all else does.
#pragma once

#include "starling/peer/world.hpp"
#include "starling/simulation/sim_world.hpp"

namespace starling::cli {

/// Raised whenever SimOptions, World, Peer or Event change their form in memory.
inline constexpr unsigned kSimulationAbi = 3;

inline constexpr const char* kSimulationPluginFile = "starling-sim.so";
inline constexpr const char* kMakeSimulationSymbol = "starling_make_simulation";

struct SimulationRequest {
  unsigned abi = kSimulationAbi;  ///< always the first field, so that any plug-in can read it
  SimOptions options{};
};

/// Makes the world; the caller owns it. Returns null, having read nothing else, if request.abi is
/// not the plug-in's own kSimulationAbi. @throws ConfigError as SimWorld does. Declared in the
/// plug-in as
///   extern "C" starling::World* starling_make_simulation(
///       const starling::cli::SimulationRequest& request);
using MakeSimulation = World*(const SimulationRequest& request);

}  // namespace starling::cli
