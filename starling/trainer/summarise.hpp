// From what the peers left behind to the summary.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "starling/peer/world.hpp"
#include "starling/trainer/plan.hpp"
#include "starling/trainer/summary.hpp"
#include "starling/trainer/worker.hpp"

namespace starling::trainer {

/// Fills in what follows from the results alone; what a failed run did not reach is NaN.
/// @return the averaged model, if every peer has one
std::optional<std::vector<float>> summarise(const Plan& plan,
                                            std::span<const PeerResult> results,
                                            const RunReport& report,
                                            Summary& summary);

}  // namespace starling::trainer
