#include "starling/trainer/summarise.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <sstream>
#include <utility>

#include "starling/core/error.hpp"
#include "starling/core/sha256.hpp"
#include "starling/core/span_math.hpp"
#include "starling/core/text.hpp"

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

ExitCode code_of(const std::exception_ptr& error) {
  if (!error) {
    return ExitCode::ok;
  }
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    return known.code();
  } catch (...) {
    return ExitCode::internal;
  }
}

/// The peer to blame: the first failure, or, in a run that was to go on without the lost, the first
/// that is not a loss.
std::size_t culprit_of(const Plan& plan, const RunReport& report) {
  if (plan.experiment.algorithm_options.on_loss == OnLoss::continue_) {
    for (std::size_t rank = 0; rank < report.peers.size(); ++rank) {
      const ExitCode code = code_of(report.peers[rank].error);
      if (code != ExitCode::ok && code != ExitCode::peers_lost) {
        return rank;
      }
    }
  }
  return *report.culprit;
}

/// True if `error` is a wait that lasted until its deadline.
bool is_deadline(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const PeerLost& lost) {
    return lost.failure().kind == FailureKind::deadline;
  } catch (...) {
    return false;
  }
}

/// What would have kept a run with a lost peer going, or goes on with it. Before the peers had
/// agreed to begin nothing does: the policy on losses is not asked yet, and there is no checkpoint.
std::string way_on(const Plan& plan, std::span<const PeerResult> results) {
  const bool began = std::any_of(
      results.begin(), results.end(), [](const PeerResult& result) { return result.began; });
  if (!began) {
    return {};
  }
  const std::vector<std::string>& takes = plan.entry->options;
  const bool can_go_on = std::find(takes.begin(), takes.end(), "on-loss") != takes.end() &&
                         plan.experiment.not_finite != NotFinite::skip_round;
  if (can_go_on && plan.experiment.algorithm_options.on_loss == OnLoss::stop) {
    return "; --on-loss continue goes on without the lost";
  }
  const auto directory = checkpoint_directory(plan.experiment);
  if (plan.experiment.checkpoint.every == 0 || directory.empty()) {
    return "; with --checkpoint-every such a run can be resumed";
  }
  if (const auto step = resumable_step(directory)) {
    return "; --resume " + directory.string() + " goes on from step " + std::to_string(*step);
  }
  return "; no checkpoint was complete yet";
}

/// What people can do about a run that ended with a lost peer. Where nothing could run any more no
/// patience would have helped.
std::string advice_on_loss(const Plan& plan,
                           std::span<const PeerResult> results,
                           const std::exception_ptr& error,
                           bool was_stalled) {
  std::ostringstream advice;
  if (is_deadline(error) && !was_stalled) {
    advice << "; a --timeout longer than " << plan.experiment.timeout_seconds
           << " s gives slow peers more time";
  }
  advice << way_on(plan, results);
  return advice.str();
}

void add_failure(const Plan& plan,
                 std::span<const PeerResult> results,
                 const RunReport& report,
                 const RunTotals& totals,
                 Summary& summary) {
  const std::size_t culprit = culprit_of(plan, report);
  const std::exception_ptr& error = report.peers[culprit].error;
  summary.exit_code = code_of(error);
  summary.error = to_string(PeerId{culprit}) + ": " + words_of(error);
  if (summary.exit_code == ExitCode::peers_lost) {
    summary.error += advice_on_loss(plan, results, error, !totals.stalled.empty());
  }
}

/// True if the run was to go on without the lost, did so, and nothing else went wrong.
bool went_on(const Plan& plan, std::span<const PeerResult> results, const RunReport& report) {
  if (plan.experiment.algorithm_options.on_loss != OnLoss::continue_) {
    return false;
  }
  std::size_t finished = 0;
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    finished += results[rank].finished ? 1 : 0;
    if (!results[rank].finished && code_of(report.peers[rank].error) != ExitCode::peers_lost) {
      return false;
    }
  }
  return finished > 0;
}

void note_the_lost(std::span<const PeerResult> results, Summary& summary) {
  std::string lost;
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    if (!results[rank].finished) {
      lost += (lost.empty() ? "" : ", ") + to_string(PeerId{rank});
    }
  }
  summary.notes.push_back("lost on the way: " + lost + "; the results are those of the others");
}

using Finished = std::vector<const PeerResult*>;

Finished finished_of(std::span<const PeerResult> results) {
  Finished finished;
  for (const PeerResult& result : results) {
    if (result.finished) {
      finished.push_back(&result);
    }
  }
  return finished;
}

/// Of the models that were tested at all: an interrupt may have cut the tests short.
void add_accuracy(const Plan& plan, const Finished& results, Summary& summary) {
  Finished tested;
  std::size_t in_full = 0;
  for (const PeerResult* result : results) {
    const std::size_t samples = result->own_evaluation.samples;
    in_full += samples >= std::max<std::size_t>(1, plan.evaluation_samples.size()) ? 1 : 0;
    if (samples > 0) {
      tested.push_back(result);
    }
  }
  if (in_full < results.size()) {
    summary.notes.push_back("interrupted: of " + std::to_string(results.size()) + " own models " +
                            std::to_string(in_full) + " were tested in full and " +
                            std::to_string(tested.size() - in_full) + " in part");
  }
  if (tested.empty() || !tested.front()->own_evaluation.has_accuracy) {
    return;
  }
  summary.accuracy_mean = 0.0;
  summary.accuracy_min = std::numeric_limits<double>::infinity();
  summary.accuracy_max = -std::numeric_limits<double>::infinity();
  for (const PeerResult* result : tested) {
    const double accuracy = result->own_evaluation.accuracy();
    summary.accuracy_mean += accuracy / static_cast<double>(tested.size());
    summary.accuracy_min = std::min(summary.accuracy_min, accuracy);
    summary.accuracy_max = std::max(summary.accuracy_max, accuracy);
  }
}

std::string hash_of(const Finished& results) {
  Sha256 hash;
  for (const PeerResult* result : results) {
    hash.update(std::as_bytes(std::span(result->parameters)));
  }
  return to_hex(hash.finish());
}

/// Steps that every peer has done, of those that finished if any has.
std::uint64_t steps_of(std::span<const PeerResult> results, bool any_finished) {
  std::uint64_t steps = std::numeric_limits<std::uint64_t>::max();
  for (const PeerResult& result : results) {
    if (result.finished || !any_finished) {
      steps = std::min(steps, result.steps);
    }
  }
  return steps;
}

std::vector<float> average_models(const Finished& results, Summary& summary) {
  std::vector<std::span<const float>> models;
  models.reserve(results.size());
  for (const PeerResult* result : results) {
    models.emplace_back(result->model);
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

/// Who was slow, the longest wait first; only the worst are named.
void add_slow_notes(const std::map<std::size_t, SlowTotal>& slow, std::vector<std::string>& notes) {
  constexpr std::size_t kMost = 5;
  std::vector<std::pair<std::size_t, SlowTotal>> worst(slow.begin(), slow.end());
  std::stable_sort(worst.begin(), worst.end(), [](const auto& a, const auto& b) {
    return a.second.longest > b.second.longest;
  });
  for (std::size_t k = 0; k < std::min(kMost, worst.size()); ++k) {
    const auto& [rank, total] = worst[k];
    std::ostringstream text;
    text << to_string(PeerId{rank}) << " was slow: others warned " << total.warnings
         << (total.warnings == 1 ? " time" : " times") << " that they wait for it, up to "
         << seconds(total.longest) << " s";
    notes.push_back(text.str());
  }
  if (worst.size() > kMost) {
    notes.push_back("and " + std::to_string(worst.size() - kMost) + " more peers were slow");
  }
}

/// The first few lines in one.
std::string first_lines(const std::string& text) {
  constexpr std::size_t kMost = 4;
  const std::vector<std::string> lines = split(text, '\n');
  std::string joined;
  for (std::size_t k = 0; k < std::min(kMost, lines.size()) && !lines[k].empty(); ++k) {
    joined.append(k == 0 ? "" : ", ").append(lines[k]);
  }
  return lines.size() > kMost + 1 ? joined + ", ..." : joined;
}

}  // namespace

std::optional<std::vector<float>> summarise(const Plan& plan,
                                            std::span<const PeerResult> results,
                                            const RunReport& report,
                                            const RunTotals& totals,
                                            Summary& summary) {
  summary.algorithm = plan.experiment.algorithm;
  summary.peers = plan.experiment.peers;
  summary.seed = plan.experiment.seed;
  summary.step_seconds = plan.step_seconds;
  summary.notes = plan.notes;
  summary.notes.insert(summary.notes.end(), report.notes.begin(), report.notes.end());
  summary.loss = summary.accuracy_mean = summary.accuracy_min = kUnknown;
  summary.accuracy_max = summary.accuracy_averaged_model = kUnknown;
  summary.consensus_distance = kUnknown;
  add_costs(report, results, summary);
  for (const PeerResult& result : results) {
    summary.samples_seen += result.samples_seen;
  }

  const Finished finished = finished_of(results);
  summary.steps = steps_of(results, !finished.empty());
  if (!report.ok()) {
    if (!went_on(plan, results, report)) {
      add_failure(plan, results, report, totals, summary);
      return std::nullopt;
    }
    note_the_lost(results, summary);
  }
  summary.parameters_sha256 = hash_of(finished);
  add_accuracy(plan, finished, summary);
  return average_models(finished, summary);
}

void add_totals(const RunTotals& totals, Summary& summary) {
  summary.training_loss = totals.training_loss;
  summary.rejected_contributions = totals.rejected_contributions;
  summary.partners_lost = totals.partners_lost;
  summary.reports_dropped = totals.reports_dropped;
  if (!summary.error.empty() && !totals.stalled.empty()) {
    summary.error += "; when nothing could run, " + first_lines(totals.stalled);
  }
  add_slow_notes(totals.slow, summary.notes);
}

}  // namespace starling::trainer
