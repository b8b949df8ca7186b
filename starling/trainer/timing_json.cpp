// A timed group operation as JSON.
#include <nlohmann/json.hpp>

#include "starling/trainer/timing.hpp"

namespace starling::trainer {

std::string to_json(const TimingRow& row) {
  const nlohmann::ordered_json json{{"operation", to_string(row.operation)},
                                    {"algorithm", row.algorithm},
                                    {"chosen", row.chosen},
                                    {"n", row.peers},
                                    {"type", to_string(row.type)},
                                    {"bytes", row.bytes},
                                    {"seconds_median", row.seconds_median},
                                    {"seconds_min", row.seconds_min},
                                    {"bus_bandwidth", row.bus_bandwidth},
                                    {"bytes_per_peer", row.bytes_per_peer},
                                    {"predicted_seconds", row.predicted_seconds},
                                    {"prediction_error", row.prediction_error()},
                                    {"scale", row.scale}};
  return json.dump() + "\n";
}

}  // namespace starling::trainer
