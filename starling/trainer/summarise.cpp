#include "starling/trainer/summarise.hpp"

#include <algorithm>
#include <limits>

#include "starling/core/error.hpp"
#include "starling/core/sha256.hpp"
#include "starling/core/span_math.hpp"

namespace starling::trainer {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

void add_costs(const RunReport& report, std::span<const PeerResult> results, Summary& summary) {
  Meter total;
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    total += results[rank].finished ? results[rank].meter : report.peers[rank].meter;
  }
  const auto n = static_cast<double>(results.size());
  summary.bytes_sent = total.payload_bytes_sent;
  summary.overhead_bytes = total.overhead_bytes_sent();
  summary.messages_sent = total.messages_sent;
  summary.compute_seconds = seconds(total.computing) / n;
  summary.wait_seconds = seconds(total.waiting) / n;
}

void add_failure(const RunReport& report, Summary& summary) {
  if (report.ok()) {
    return;
  }
  try {
    report.or_throw();
  } catch (const Error& error) {
    summary.exit_code = error.code();
    summary.error = to_string(PeerId{*report.culprit}) + ": " + error.what();
  } catch (const std::exception& error) {
    summary.exit_code = ExitCode::internal;
    summary.error = to_string(PeerId{*report.culprit}) + ": " + error.what();
  }
}

void add_accuracy(std::span<const PeerResult> results, Summary& summary) {
  summary.accuracy_mean = 0.0;
  summary.accuracy_min = std::numeric_limits<double>::infinity();
  summary.accuracy_max = -std::numeric_limits<double>::infinity();
  for (const PeerResult& result : results) {
    const double accuracy = result.own_evaluation.accuracy();
    summary.accuracy_mean += accuracy / static_cast<double>(results.size());
    summary.accuracy_min = std::min(summary.accuracy_min, accuracy);
    summary.accuracy_max = std::max(summary.accuracy_max, accuracy);
  }
  if (!results.front().own_evaluation.has_accuracy) {
    summary.accuracy_min = summary.accuracy_max = kUnknown;
  }
}

std::string hash_of(std::span<const PeerResult> results) {
  Sha256 hash;
  for (const PeerResult& result : results) {
    hash.update(std::as_bytes(std::span(result.parameters)));
  }
  return to_hex(hash.finish());
}

}  // namespace

std::optional<std::vector<float>> summarise(const Plan& plan,
                                            std::span<const PeerResult> results,
                                            const RunReport& report,
                                            Summary& summary) {
  summary.algorithm = plan.experiment.algorithm;
  summary.peers = plan.experiment.peers;
  summary.seed = plan.experiment.seed;
  summary.step_seconds = plan.step_seconds;
  summary.notes = plan.notes;
  summary.loss = summary.accuracy_mean = summary.accuracy_min = kUnknown;
  summary.accuracy_max = summary.accuracy_averaged_model = kUnknown;
  summary.consensus_distance = kUnknown;
  add_costs(report, results, summary);
  add_failure(report, summary);

  summary.steps = plan.total_steps;
  for (const PeerResult& result : results) {
    summary.steps = std::min(summary.steps, result.steps);
    summary.samples_seen += result.samples_seen;
  }
  const bool complete = std::all_of(
      results.begin(), results.end(), [](const PeerResult& result) { return result.finished; });
  if (!complete) {
    return std::nullopt;
  }

  summary.parameters_sha256 = hash_of(results);
  add_accuracy(results, summary);
  std::vector<std::span<const float>> models;
  for (const PeerResult& result : results) {
    models.emplace_back(result.model);
  }
  std::vector<float> averaged(models.front().size());
  mean(models, averaged);
  summary.consensus_distance = 0.0;
  for (const auto& model : models) {
    summary.consensus_distance +=
        squared_distance(model, averaged) / static_cast<double>(models.size());
  }
  return averaged;
}

}  // namespace starling::trainer
