// From what the peers left behind to the summary.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "starling/peer/world.hpp"
#include "starling/trainer/metrics.hpp"
#include "starling/trainer/plan.hpp"
#include "starling/trainer/summary.hpp"
#include "starling/trainer/worker.hpp"

namespace starling::trainer {

/// Fills in what follows from the results alone; what a failed run did not reach is NaN. A run that
/// was to go on without lost peers, and did, has the results of those that finished.
/// @param totals what was counted on the way: whether the run had stalled decides what is advised
/// @return the averaged model, unless the run failed
std::optional<std::vector<float>> summarise(const Plan& plan,
                                            std::span<const PeerResult> results,
                                            const RunReport& report,
                                            const RunTotals& totals,
                                            Summary& summary);

/// Fills in what was counted on the way; who was slow becomes notes, who waited for whom when a run
/// stalled a part of its error.
void add_totals(const RunTotals& totals, Summary& summary);

}  // namespace starling::trainer
