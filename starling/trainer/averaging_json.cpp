// An averaging experiment as JSON.
#include <nlohmann/json.hpp>

#include "starling/trainer/averaging.hpp"

namespace starling::trainer {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kIndent = 2;

/// Numbers that are not finite are written as null by the library.
void add_results(Json& json, const AveragingSummary& summary) {
  json["rounds"] = Json::array();
  for (const AveragingRoundMeans& one : summary.rounds) {
    json["rounds"].push_back({{"round", one.round},
                              {"variance", one.errors.variance},
                              {"distance_to_initial_mean", one.errors.distance_to_initial_mean},
                              {"consensus_error", one.errors.consensus_error},
                              {"bytes_per_peer", one.bytes_per_peer}});
  }
  json["rounds_to"] = Json::object();
  for (const RoundsToTarget& target : summary.targets) {
    json["rounds_to"][target.target] = target.rounds;
  }
}

std::string text_of(const Json& json) {
  return json.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const AveragingSummary& summary) {
  Json json;
  add_results(json, summary);
  return text_of(json);
}

std::string to_long_json(const AveragingSummary& summary) {
  const Averaging& averaging = summary.averaging;
  Json json{{"averager", averaging.averager.name},
            {"how", summary.how},
            {"world", summary.world},
            {"peers", averaging.averager.peers},
            {"dim", averaging.elements},
            {"failure_rate", averaging.failure_rate},
            {"repeats", averaging.repeats},
            {"seed", averaging.averager.seed},
            {"messages_per_peer", summary.messages_per_peer},
            {"virtual_seconds", summary.virtual_seconds},
            {"wall_seconds", summary.wall_seconds}};
  json["repeats_reached"] = Json::object();
  for (const RoundsToTarget& target : summary.targets) {
    json["repeats_reached"][target.target] = target.reached;
  }
  add_results(json, summary);
  return text_of(json);
}

}  // namespace starling::trainer
