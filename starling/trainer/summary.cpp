#include "starling/trainer/summary.hpp"

#include <nlohmann/json.hpp>

namespace starling::trainer {

std::string to_json(const Summary& summary) {
  // Numbers that are not finite are written as null by the library.
  const nlohmann::ordered_json json = {{"algorithm", summary.algorithm},
                                       {"world", summary.world},
                                       {"peers", summary.peers},
                                       {"steps", summary.steps},
                                       {"seed", summary.seed},
                                       {"parameters_sha256", summary.parameters_sha256},
                                       {"loss", summary.loss},
                                       {"accuracy_mean", summary.accuracy_mean},
                                       {"accuracy_min", summary.accuracy_min},
                                       {"accuracy_max", summary.accuracy_max},
                                       {"accuracy_averaged_model", summary.accuracy_averaged_model},
                                       {"consensus_distance", summary.consensus_distance},
                                       {"mean_drift", summary.mean_drift},
                                       {"training_loss", summary.training_loss},
                                       {"samples_seen", summary.samples_seen},
                                       {"bytes_sent", summary.bytes_sent},
                                       {"overhead_bytes", summary.overhead_bytes},
                                       {"messages_sent", summary.messages_sent},
                                       {"rejected_contributions", summary.rejected_contributions},
                                       {"partners_lost", summary.partners_lost},
                                       {"reports_dropped", summary.reports_dropped},
                                       {"compute_seconds", summary.compute_seconds},
                                       {"wait_seconds", summary.wait_seconds},
                                       {"wall_seconds", summary.wall_seconds},
                                       {"virtual_seconds", summary.virtual_seconds},
                                       {"step_seconds", summary.step_seconds},
                                       {"exit_code", static_cast<int>(summary.exit_code)},
                                       {"error", summary.error},
                                       {"notes", summary.notes}};
  // Words of the operating system may be in any encoding; they must not cost us the summary.
  constexpr int kIndent = 2;
  return json.dump(kIndent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace starling::trainer
