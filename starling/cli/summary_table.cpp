#include "starling/cli/summary_table.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "starling/cli/table.hpp"

namespace starling::cli {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "-";
}

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.2f} %", 100.0 * share) : "-";
}

void add_learning(Rows& rows, const trainer::Summary& summary) {
  rows.push_back({"loss, averaged model", number(summary.loss)});
  rows.push_back({"loss, training", number(summary.training_loss)});
  if (std::isfinite(summary.accuracy_averaged_model)) {
    rows.push_back({"accuracy, averaged model", percent(summary.accuracy_averaged_model)});
    rows.push_back({"accuracy, peers' own models",
                    fmt::format("{}   min {}   max {}",
                                percent(summary.accuracy_mean),
                                percent(summary.accuracy_min),
                                percent(summary.accuracy_max))});
  }
  rows.push_back({"consensus distance", number(summary.consensus_distance)});
  rows.push_back({"drift of the mean", number(summary.mean_drift)});
  rows.push_back({"samples seen", std::to_string(summary.samples_seen)});
}

void add_traffic(Rows& rows, const trainer::Summary& summary) {
  rows.push_back({"sent",
                  fmt::format("{} in {} messages, and {} of stamps",
                              human_bytes(static_cast<double>(summary.bytes_sent)),
                              summary.messages_sent,
                              human_bytes(static_cast<double>(summary.overhead_bytes)))});
  if (summary.partners_lost > 0) {
    rows.push_back({"exchanges lost", std::to_string(summary.partners_lost)});
  }
  if (summary.rejected_contributions > 0) {
    rows.push_back({"contributions rejected", std::to_string(summary.rejected_contributions)});
  }
}

void add_time(Rows& rows, const trainer::Summary& summary) {
  rows.push_back({"time of a peer",
                  fmt::format("{} computing, {} waiting",
                              human_seconds(summary.compute_seconds),
                              human_seconds(summary.wait_seconds))});
  rows.push_back({"wall time", human_seconds(summary.wall_seconds)});
  if (summary.virtual_seconds > 0.0) {
    rows.push_back({"virtual time",
                    fmt::format("{}, {} a step at speed 1",
                                human_seconds(summary.virtual_seconds),
                                human_seconds(summary.step_seconds))});
  }
}

}  // namespace

std::string summary_table(const trainer::Summary& summary) {
  Rows rows;
  rows.push_back({"algorithm",
                  fmt::format("{}, {} {} on {}, {} steps, seed {}",
                              summary.algorithm,
                              summary.peers,
                              summary.peers == 1 ? "peer" : "peers",
                              summary.world,
                              summary.steps,
                              summary.seed)});
  add_learning(rows, summary);
  add_traffic(rows, summary);
  add_time(rows, summary);
  if (!summary.parameters_sha256.empty()) {
    rows.push_back({"parameters", "sha256 " + summary.parameters_sha256});
  }
  for (std::size_t k = summary.notes_told; k < summary.notes.size(); ++k) {
    rows.push_back({k == summary.notes_told ? "notes" : "", summary.notes[k]});
  }
  return aligned(rows);
}

}  // namespace starling::cli
