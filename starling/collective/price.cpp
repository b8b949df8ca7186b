#include "starling/collective/price.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "starling/collective/catalog.hpp"

namespace starling::collective {

namespace {

/// An algorithm that may be the cheapest.
struct Candidate {
  std::string name;
  Choice choice;
  std::size_t rounds = 0;
};

class Prices {
 public:
  Prices(Operation operation, std::size_t peers, const LinkModel& link)
      : operation_(operation), peers_(peers), link_(link) {
    for (const std::string& name : names_for(operation)) {
      const Choice choice = find_algorithm(name, operation);
      const Request request = request_for(choice, peers);
      if (choice.entry->same_bits_everywhere && !choice.entry->why_not(request)) {
        candidates_.push_back({name, choice, rounds_of(make_schedule(*choice.entry, request))});
      }
    }
    // Who has few rounds is often fast, and the slow ones are given up soon then.
    std::stable_sort(candidates_.begin(),
                     candidates_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.rounds < b.rounds; });
  }

  /// @return nothing if nobody offers the operation
  [[nodiscard]] std::vector<std::string> best_for(std::span<const std::size_t> bytes) const {
    std::vector<std::string> names(candidates_.empty() ? 0 : bytes.size());
    std::vector<double> least(bytes.size(), std::numeric_limits<double>::infinity());
    for (const Candidate& each : candidates_) {
      std::vector<Schedule> schedules;
      for (std::size_t k = 0; k < bytes.size(); ++k) {
        const Request request = request_for(each.choice, bytes[k] / sizeof(float));
        if (schedules.empty() || looks_at_length(each)) {
          schedules = schedules_of(*each.choice.entry, request);
        }
        const double seconds = predict(schedules, request.elements, sizeof(float), link_, least[k]);
        if (seconds < least[k]) {
          least[k] = seconds;
          names[k] = each.name;
        }
      }
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
