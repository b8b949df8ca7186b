#include "starling/collective/cost.hpp"

#include <algorithm>

#include "starling/collective/dims.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

class Clockwork {
 public:
  Clockwork(std::span<const Schedule> schedules,
            std::size_t elements,
            std::size_t element_bytes,
            const LinkModel& link)
      : schedules_(schedules),
        elements_(elements),
        element_bytes_(element_bytes),
        link_(link),
        lanes_(schedules.front().lanes.size()),
        ready_(schedules.size() * lanes_),
        next_(ready_.size()),
        out_free_(schedules.size() * link.ports),
        in_free_(out_free_.size()),
        adder_free_(schedules.size()),
        load_(link.torus.empty() ? 0 : schedules.size() * link.torus.size() * 2) {}

  double run() {
    std::size_t rounds = 0;
    for (const Schedule& schedule : schedules_) {
      for (const Lane& lane : schedule.lanes) {
        rounds = std::max(rounds, lane.rounds());
      }
    }
    for (std::size_t round = 0; round < rounds; ++round) {
      next_ = ready_;
      if (!link_.torus.empty()) {
        load_links(round);
      }
      for_each_receive(round, [&](std::size_t rank, std::size_t lane, const Transfer& each) {
        receive(rank, lane, each);
      });
      ready_ = next_;
    }
    return *std::max_element(ready_.begin(), ready_.end());
  }

 private:
  std::span<const Schedule> schedules_;
  std::size_t elements_;
  std::size_t element_bytes_;
  const LinkModel& link_;
  std::size_t lanes_;
  std::vector<double> ready_;  // by rank and lane: the last round is over
  std::vector<double> next_;   // the same for the round that is played
  std::vector<double> out_free_;
  std::vector<double> in_free_;
  std::vector<double> adder_free_;
  std::vector<double> load_;  // by link of the torus: bytes of this round

  template <class Visit>
  void for_each_receive(std::size_t round, Visit visit) const {
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      for (std::size_t rank = 0; rank < schedules_.size(); ++rank) {
        const Lane& rounds_of = schedules_[rank].lanes[lane];
        if (round >= rounds_of.rounds()) {
          continue;
        }
        for (const Transfer& each : rounds_of.round(round)) {
          if (each.action != Action::send) {
            visit(rank, lane, each);
          }
        }
      }
    }
  }

  [[nodiscard]] double bytes_of(std::size_t rank,
                                std::size_t lane,
                                const Transfer& transfer) const {
    std::size_t elements = 0;
    for (const Range& run : schedules_[rank].lanes[lane].blocks(transfer)) {
      elements += schedules_[rank].cut.elements(run, elements_).size();
    }
    return static_cast<double>(elements * element_bytes_);
  }

  void load_links(std::size_t round) {
    std::fill(load_.begin(), load_.end(), 0.0);
    for_each_receive(round, [&](std::size_t rank, std::size_t lane, const Transfer& each) {
      const double bytes = bytes_of(rank, lane, each);
      for (const std::size_t link : torus_route(each.peer, rank, link_.torus)) {
        load_[link] += bytes;
      }
    });
  }

  void receive(std::size_t rank, std::size_t lane, const Transfer& transfer) {
    const double bytes = bytes_of(rank, lane, transfer);
    const std::size_t here = rank * lanes_ + lane;
    const std::size_t there = transfer.peer * lanes_ + lane;
    const double begin = std::max(ready_[here], ready_[there]);
    double end = link_.torus.empty() ? end_on_ports(begin, rank, lane, transfer.peer, bytes)
                                     : end_on_torus(begin, rank, transfer.peer);
    next_[there] = std::max(next_[there], end);
    if (transfer.action == Action::add) {
      end = std::max(end, adder_free_[rank]) + bytes * link_.gamma_seconds_per_byte;
      adder_free_[rank] = end;
    }
    next_[here] = std::max(next_[here], end);
  }

  double end_on_ports(
      double begin, std::size_t rank, std::size_t lane, std::size_t from, double bytes) {
    double& in = in_free_[rank * link_.ports + lane % link_.ports];
    double& out = out_free_[from * link_.ports + lane % link_.ports];
    const double end =
        std::max({begin, in, out}) + link_.alpha_seconds + bytes * link_.beta_seconds_per_byte;
    in = end;
    out = end;
    return end;
  }

  [[nodiscard]] double end_on_torus(double begin, std::size_t rank, std::size_t from) const {
    const std::vector<std::size_t> route = torus_route(from, rank, link_.torus);
    double busiest = 0.0;
    for (const std::size_t link : route) {
      busiest = std::max(busiest, load_[link]);
    }
    return begin + link_.alpha_seconds + static_cast<double>(route.size()) * link_.hop_seconds +
           busiest * link_.beta_seconds_per_byte;
  }
};

}  // namespace

std::vector<std::size_t> torus_route(std::size_t from,
                                     std::size_t to,
                                     std::span<const std::size_t> dims) {
  std::vector<std::size_t> at = coordinates(from, dims);
  const std::vector<std::size_t> target = coordinates(to, dims);
  std::vector<std::size_t> route;
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    const std::size_t extent = dims[axis];
    const std::size_t ahead = (target[axis] + extent - at[axis]) % extent;
    const bool forwards = 2 * ahead < extent || (2 * ahead == extent && 2 * at[axis] != extent);
    for (std::size_t hops = forwards ? ahead : extent - ahead; hops > 0; --hops) {
      route.push_back((rank_at(at, dims) * dims.size() + axis) * 2 + (forwards ? 0 : 1));
      at[axis] = (at[axis] + (forwards ? 1 : extent - 1)) % extent;
    }
  }
  return route;
}

double predict(std::span<const Schedule> schedules,
               std::size_t elements,
               std::size_t element_bytes,
               const LinkModel& link) {
  ensure(!schedules.empty() && link.ports > 0 &&
             (link.torus.empty() || product(link.torus) == schedules.size()),
         "a prediction needs schedules and ports, and a place on the torus for everybody",
         schedules.size(),
         link.ports);
  return Clockwork(schedules, elements, element_bytes, link).run();
}

}  // namespace starling::collective
