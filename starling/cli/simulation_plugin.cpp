// The C function of starling-sim.so; see simulation_plugin.hpp.
#include "starling/cli/simulation_plugin.hpp"

#include <memory>

extern "C" __attribute__((visibility("default"))) starling::World* starling_make_simulation(
    const starling::cli::SimulationRequest& request) {
  if (request.abi != starling::cli::kSimulationAbi) {
    return nullptr;
  }
  auto world = std::make_unique<starling::SimWorld>(request.options);
  return world.release();  // the caller's, as the border says
}
