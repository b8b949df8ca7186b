// The C functions of starling-torch.so; see starling/objective/network_plugin.hpp.
#include <memory>

#include "starling/model/architecture.hpp"
#include "starling/model/backend.hpp"
#include "starling/model/network_objective.hpp"
#include "starling/objective/network_plugin.hpp"

#define STARLING_EXPORT extern "C" __attribute__((visibility("default")))

STARLING_EXPORT starling::objective::Objective* starling_make_network(
    const starling::objective::NetworkRequest& request) {
  namespace model = starling::model;
  if (request.abi != starling::objective::kNetworkAbi) {
    return nullptr;
  }
  auto network = std::make_unique<model::NetworkObjective>(
      model::design(request.name, request.sample_shape, request.classes));
  return network.release();  // the caller's, as the border says
}

STARLING_EXPORT void starling_network_backend(starling::objective::NetworkBackend& backend) {
  backend = {.description = starling::model::backend_description().c_str(),
             .stack_bytes = starling::model::kStackBytes};
}
