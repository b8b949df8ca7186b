#include "starling/collective/cost.hpp"

#include <algorithm>
#include <vector>

#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

class Clockwork {
 public:
  Clockwork(std::span<const Schedule> schedules, std::size_t elements, const LinkModel& link)
      : schedules_(schedules),
        elements_(elements),
        link_(link),
        lanes_(schedules.front().lanes.size()),
        ready_(schedules.size() * lanes_),
        next_(ready_.size()),
        out_free_(schedules.size() * link.ports),
        in_free_(out_free_.size()),
        adder_free_(schedules.size()) {}

  double run() {
    std::size_t rounds = 0;
    for (const Schedule& schedule : schedules_) {
      for (const Lane& lane : schedule.lanes) {
        rounds = std::max(rounds, lane.rounds());
      }
    }
    for (std::size_t round = 0; round < rounds; ++round) {
      next_ = ready_;
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        play(round, lane);
      }
      ready_ = next_;
    }
    return *std::max_element(ready_.begin(), ready_.end());
  }

 private:
  std::span<const Schedule> schedules_;
  std::size_t elements_;
  LinkModel link_;
  std::size_t lanes_;
  std::vector<double> ready_;  // by rank and lane: the last round is over
  std::vector<double> next_;   // the same for the round that is played
  std::vector<double> out_free_;
  std::vector<double> in_free_;
  std::vector<double> adder_free_;

  void play(std::size_t round, std::size_t lane) {
    for (std::size_t rank = 0; rank < schedules_.size(); ++rank) {
      const Lane& rounds_of = schedules_[rank].lanes[lane];
      if (round >= rounds_of.rounds()) {
        continue;
      }
      for (const Transfer& each : rounds_of.round(round)) {
        if (each.action != Action::send) {
          receive(rank, lane, each);
        }
      }
    }
  }

  void receive(std::size_t rank, std::size_t lane, const Transfer& transfer) {
    double bytes = 0.0;
    for (const Range& run : schedules_[rank].lanes[lane].blocks(transfer)) {
      const Range elements = elements_of(schedules_[rank], run, elements_);
      bytes += static_cast<double>(elements.size() * sizeof(float));
    }
    const std::size_t here = rank * lanes_ + lane;
    const std::size_t there = transfer.peer * lanes_ + lane;
    double& in = in_free_[rank * link_.ports + lane % link_.ports];
    double& out = out_free_[transfer.peer * link_.ports + lane % link_.ports];
    const double start = std::max({ready_[here], ready_[there], in, out});
    double end = start + link_.alpha_seconds + bytes * link_.beta_seconds_per_byte;
    in = end;
    out = end;
    next_[there] = std::max(next_[there], end);
    if (transfer.action == Action::add) {
      end = std::max(end, adder_free_[rank]) + bytes * link_.gamma_seconds_per_byte;
      adder_free_[rank] = end;
    }
    next_[here] = std::max(next_[here], end);
  }
};

}  // namespace

double predict(std::span<const Schedule> schedules, std::size_t elements, const LinkModel& link) {
  ensure(!schedules.empty() && link.ports > 0,
         "a prediction needs schedules and ports",
         schedules.size(),
         link.ports);
  return Clockwork(schedules, elements, link).run();
}

}  // namespace starling::collective
