#include "starling/collective/price.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "starling/collective/catalog.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Who sends and receives more often than that, as rings of 2,000 peers do, is not looked at: it
/// would take minutes and gigabytes.
constexpr std::size_t kTransfersMax = 8'000'000;

struct Candidate {
  std::string name;
  Choice choice;
};

/// What a candidate needs for one length before anybody has played it.
struct Bid {
  const Candidate* candidate = nullptr;
  double at_least = 0.0;
  double roughly = 0.0;  // the more of what its busiest link takes and what its rounds do
};

class Prices {
 public:
  Prices(Operation operation, std::size_t peers, const LinkModel& link)
      : operation_(operation), peers_(peers), link_(link) {
    for (const std::string& name : names_for(operation)) {
      const Choice choice = find_algorithm(name, operation);
      const Request request = request_for(choice, peers);
      if (choice.entry->same_bits_everywhere && !choice.entry->why_not(request) &&
          transfers_of(make_schedule(*choice.entry, request)) <= kTransfersMax / peers) {
        candidates_.push_back({name, choice});
      }
    }
  }

  /// @return nothing if nobody offers the operation
  [[nodiscard]] std::vector<std::string> best_for(std::span<const std::size_t> bytes) const {
    std::vector<std::string> names;
    if (candidates_.empty()) {
      return names;
    }
    std::vector<std::vector<Bid>> bids = bids_for(bytes);
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      names.push_back(best_of(std::move(bids[k]), bytes[k] / sizeof(float)));
    }
    return names;
  }

 private:
  Operation operation_;
  std::size_t peers_;
  const LinkModel& link_;
  std::vector<Candidate> candidates_;

  [[nodiscard]] Request request_for(const Choice& choice, std::size_t elements) const {
    Request request{.operation = operation_, .peers = peers_, .elements = elements};
    choice.fill_in(request, sizeof(float), link_.torus);
    return request;
  }

  [[nodiscard]] bool looks_at_length(const Candidate& candidate) const {
    return candidate.choice.entry->takes.segment || has_parts(operation_);
  }

  /// One of every candidate for every length.
  [[nodiscard]] std::vector<std::vector<Bid>> bids_for(std::span<const std::size_t> bytes) const {
    std::vector<std::vector<Bid>> bids(bytes.size());
    for (const Candidate& each : candidates_) {
      std::vector<Schedule> schedules;
      for (std::size_t k = 0; k < bytes.size(); ++k) {
        const Request request = request_for(each.choice, bytes[k] / sizeof(float));
        if (schedules.empty() || looks_at_length(each)) {
          schedules = schedules_of(*each.choice.entry, request);
        }
        const double busy = busiest_link(schedules, request.elements, sizeof(float), link_);
        const double rounds = static_cast<double>(rounds_of(schedules.front()));
        bids[k].push_back({&each, busy, std::max(busy, rounds * link_.round_seconds())});
      }
    }
    return bids;
  }

  /// The likeliest winner is played first, the others until they are slower.
  [[nodiscard]] std::string best_of(std::vector<Bid> bids, std::size_t elements) const {
    std::stable_sort(
        bids.begin(), bids.end(), [](const Bid& a, const Bid& b) { return a.roughly < b.roughly; });
    const Candidate* best = nullptr;
    double least = kNever;
    for (const Bid& bid : bids) {
      if (bid.at_least >= least) {
        continue;
      }
      const Request request = request_for(bid.candidate->choice, elements);
      const double seconds = predict(schedules_of(*bid.candidate->choice.entry, request),
                                     elements,
                                     sizeof(float),
                                     link_,
                                     least);
      if (seconds < least) {
        least = seconds;
        best = bid.candidate;
      }
    }
    ensure(best != nullptr, "the first who is played is the best so far", bids.size());
    return best->name;
  }

  static std::size_t transfers_of(const Schedule& schedule) {
    std::size_t transfers = 0;
    for (const Lane& lane : schedule.lanes) {
      transfers += lane.transfers().size();
    }
    return transfers;
  }

  static std::size_t rounds_of(const Schedule& schedule) {
    std::size_t most = 0;
    for (const Lane& lane : schedule.lanes) {
      most = std::max(most, lane.rounds());
    }
    return most;
  }
};

}  // namespace

std::vector<MeasuredChoice> cheapest(Operation operation,
                                     std::size_t peers,
                                     std::span<const std::size_t> bytes,
                                     const LinkModel& link) {
  const std::vector<std::string> names = Prices(operation, peers, link).best_for(bytes);
  std::vector<MeasuredChoice> choices;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (choices.empty() || choices.back().algorithm != names[k]) {
      choices.push_back({operation, peers, choices.empty() ? 0 : bytes[k], names[k]});
    }
  }
  return choices;
}

}  // namespace starling::collective
