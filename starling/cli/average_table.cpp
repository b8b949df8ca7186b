#include "starling/cli/average_table.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "starling/cli/table.hpp"

namespace starling::cli {

namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kRoundsShown = 20;
constexpr std::size_t kFirstShown = 10;  // one by one, before the rest is shown in strides

/// The first ones, then evenly up to the last.
std::vector<std::size_t> shown_of(std::size_t rounds) {
  std::vector<std::size_t> shown;
  if (rounds <= kRoundsShown) {
    for (std::size_t k = 0; k < rounds; ++k) {
      shown.push_back(k);
    }
    return shown;
  }
  for (std::size_t k = 0; k < kFirstShown; ++k) {
    shown.push_back(k);
  }
  constexpr std::size_t kRest = kRoundsShown - kFirstShown;
  for (std::size_t k = 1; k <= kRest; ++k) {
    shown.push_back(kFirstShown - 1 + (rounds - kFirstShown) * k / kRest);
  }
  return shown;
}

std::string peers_text(const trainer::AveragingSummary& summary) {
  const trainer::Averaging& averaging = summary.averaging;
  return fmt::format("{} on {}, {} {} each, seed {}",
                     averaging.averager.peers,
                     summary.world,
                     averaging.elements,
                     averaging.elements == 1 ? "number" : "numbers",
                     averaging.averager.seed);
}

std::string experiment_lines(const trainer::AveragingSummary& summary) {
  const trainer::Averaging& averaging = summary.averaging;
  Rows rows;
  rows.push_back({"averager", summary.how});
  rows.push_back({"peers", peers_text(summary)});
  if (averaging.failure_rate > 0.0) {
    rows.push_back(
        {"failures", fmt::format("{:.6g} % of the peers a round", 100.0 * averaging.failure_rate)});
  }
  if (averaging.repeats > 1) {
    rows.push_back({"repeats", fmt::format("{}, of which this is the mean", averaging.repeats)});
  }
  return aligned(rows);
}

std::string round_lines(const trainer::AveragingSummary& summary) {
  Rows rows;
  rows.push_back(
      {"ROUND", "VARIANCE", "DISTANCE TO INITIAL MEAN", "CONSENSUS ERROR", "SENT BY A PEER"});
  for (const std::size_t k : shown_of(summary.rounds.size())) {
    const trainer::AveragingRoundMeans& means = summary.rounds[k];
    rows.push_back({std::to_string(means.round),
                    fmt::format("{:.3g}", means.errors.variance),
                    fmt::format("{:.3g}", means.errors.distance_to_initial_mean),
                    fmt::format("{:.3g}", means.errors.consensus_error),
                    human_bytes(means.bytes_per_peer)});
  }
  return aligned(rows);
}

std::string rounds_text(const trainer::RoundsToTarget& target,
                        const trainer::Averaging& averaging) {
  if (std::isfinite(target.rounds)) {
    return fmt::format("{:.4g} {}", target.rounds, target.rounds == 1.0 ? "round" : "rounds");
  }
  const std::string limit =
      fmt::format("{} {}", averaging.rounds, averaging.rounds == 1 ? "round" : "rounds");
  return averaging.repeats == 1
             ? fmt::format("not in {}", limit)
             : fmt::format("in {} of {} repeats of {}", target.reached, averaging.repeats, limit);
}

std::string cost_lines(const trainer::AveragingSummary& summary) {
  Rows rows;
  for (const trainer::RoundsToTarget& target : summary.targets) {
    rows.push_back(
        {"variance " + target.target + " reached", rounds_text(target, summary.averaging)});
  }
  double bytes = 0.0;
  for (const trainer::AveragingRoundMeans& means : summary.rounds) {
    bytes += means.bytes_per_peer;
  }
  rows.push_back({"sent by a peer",
                  fmt::format("{} in {:.6g} {}",
                              human_bytes(bytes),
                              summary.messages_per_peer,
                              summary.messages_per_peer == 1.0 ? "message" : "messages")});
  if (summary.virtual_seconds > 0.0) {
    rows.push_back({"virtual time",
                    human_seconds(summary.virtual_seconds) +
                        (summary.averaging.repeats > 1 ? " a repeat" : "")});
  }
  rows.push_back({"wall time", human_seconds(summary.wall_seconds)});
  return aligned(rows);
}

}  // namespace

std::string average_table(const trainer::AveragingSummary& summary) {
  std::string text = experiment_lines(summary) + "\n" + round_lines(summary);
  if (summary.rounds.size() > kRoundsShown) {
    text += fmt::format("({} of {} rounds; --json has all)\n", kRoundsShown, summary.rounds.size());
  }
  return text + "\n" + cost_lines(summary);
}

}  // namespace starling::cli
