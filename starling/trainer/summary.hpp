// The result of a run in numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "starling/core/exit_code.hpp"
#include "starling/core/time.hpp"

namespace starling::trainer {

struct Summary {
  std::string algorithm;
  std::string world;  ///< "threads", "sim"
  std::size_t peers = 0;
  std::uint64_t steps = 0;  ///< steps every peer has done
  std::uint64_t seed = 0;
  std::string parameters_sha256;  ///< all peers' parameters in rank order, little-endian f32
  double loss = 0.0;              ///< of the averaged model on the test data
  double accuracy_mean = 0.0;     ///< over the peers' own models; NaN without labels
  double accuracy_min = 0.0;
  double accuracy_max = 0.0;
  double accuracy_averaged_model = 0.0;
  double consensus_distance = 0.0;  ///< (1/n) sum_i ||x_i - mean||^2
  double mean_drift = 0.0;          ///< ||mean(end) - mean(start)||
  double training_loss = 0.0;       ///< mini-batch loss, mean over peers and the last 10 % of steps
  std::uint64_t samples_seen = 0;   ///< over all peers
  std::uint64_t bytes_sent = 0;     ///< payload, over all peers
  std::uint64_t overhead_bytes = 0;  ///< stamps and frames, over all peers
  std::uint64_t messages_sent = 0;
  std::uint64_t rejected_contributions = 0;
  std::uint64_t partners_lost = 0;    ///< exchanges that did not happen
  std::uint64_t reports_dropped = 0;  ///< lines of metrics.jsonl that came faster than written
  double compute_seconds = 0.0;       ///< mean over peers, of the run's own clock
  double wait_seconds = 0.0;          ///< mean over peers
  double wall_seconds = 0.0;
  double virtual_seconds = 0.0;  ///< 0 outside simulation
  double step_seconds = 0.0;     ///< cost of a step as simulated
  ExitCode exit_code = ExitCode::ok;
  std::string error;               ///< one line; empty if the run ended well
  std::vector<std::string> notes;  ///< options without effect here, what was decided on the way
  std::size_t notes_told = 0;      ///< the first of them, which were events before the first step
};

/// As one JSON object, the content of summary.json. Numbers that are not finite become null.
std::string to_json(const Summary& summary);

}  // namespace starling::trainer
