// For tests: a plug-in whose only network is a quadratic of as many dimensions as the data has
// classes.
#include "starling/core/error.hpp"
#include "starling/objective/network_plugin.hpp"
#include "starling/objective/quadratic.hpp"

extern "C" starling::objective::Objective* starling_make_network(
    const starling::objective::NetworkRequest& request) {
  namespace objective = starling::objective;
  if (request.abi != objective::kNetworkAbi) {
    return nullptr;
  }
  if (std::string(request.name) != "bowl") {
    throw starling::ConfigError("model '" + std::string(request.name) + "': not in this plug-in");
  }
  return new objective::Quadratic({.dimension = request.classes, .seed = request.seed});
}

extern "C" void starling_network_backend(starling::objective::NetworkBackend& backend) {
  backend = {.description = "plain loops", .stack_bytes = 4096};
}
