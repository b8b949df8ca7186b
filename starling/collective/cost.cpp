#include "starling/collective/cost.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <utility>

#include "starling/collective/dims.hpp"
#include "starling/collective/shared_links.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

/// What happens this close together, relative to the time since the start, happens at once.
constexpr double kAtOnce = 1e-11;

/// The links that messages cross: on a torus its routes, else the sender's way out and the
/// receiver's way in.
class Routes {
 public:
  Routes(const LinkModel& link, std::size_t peers) : link_(link), known_(peers) {}

  [[nodiscard]] std::size_t links() const {
    return known_.size() * 2 * (link_.torus.empty() ? link_.ports : link_.torus.size());
  }

  /// Valid as long as this is.
  std::span<const std::uint32_t> find(std::size_t from, std::size_t to, std::size_t lane) {
    const std::size_t port = link_.torus.empty() ? lane % link_.ports : 0;
    auto& route = known_[from][to * link_.ports + port];
    if (route.empty() && link_.torus.empty()) {
      route = {static_cast<std::uint32_t>((from * link_.ports + port) * 2),
               static_cast<std::uint32_t>((to * link_.ports + port) * 2 + 1)};
    } else if (route.empty()) {
      const auto links = torus_route(from, to, link_.torus);
      route.assign(links.begin(), links.end());
    }
    return route;
  }

  /// What a message takes of each of its links.
  [[nodiscard]] double seconds(double bytes) const {
    return link_.alpha_seconds + bytes * link_.beta_seconds_per_byte;
  }

  /// How often a message pays for the way.
  [[nodiscard]] double hops(std::span<const std::uint32_t> route) const {
    return link_.torus.empty() ? 1.0 : static_cast<double>(route.size());
  }

 private:
  const LinkModel& link_;
  std::vector<std::map<std::size_t, std::vector<std::uint32_t>>> known_;  // by sender
};

double bytes_of(const Schedule& schedule,
                const Lane& lane,
                const Transfer& transfer,
                std::size_t elements,
                std::size_t element_bytes) {
  std::size_t moved = 0;
  for (const Range& run : lane.blocks(transfer)) {
    moved += schedule.cut.elements(run, elements).size();
  }
  return static_cast<double>(moved * element_bytes);
}

/// Plays the schedules as the executor runs them, event after event.
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
        states_(schedules.size() * lanes_),
        unfinished_(states_.size()),
        adder_free_(schedules.size()),
        routes_(link, schedules.size()),
        links_(routes_.links()),
        unread_(states_.size()) {}

  double run(double give_up_after) {
    for (std::size_t place = 0; place < states_.size(); ++place) {
      wake(place);
    }
    for (;;) {
      go_on();
      links_.share(now_);
      const double next = std::min(links_.next_end(), events_.empty() ? kNever : events_.top().at);
      if (next == kNever || now_ > give_up_after) {
        break;
      }
      now_ = std::max(now_, next);
      const double at_once = now_ * (1.0 + kAtOnce);
      while (links_.next_end() <= at_once) {
        arrive(under_way_[links_.end_next()]);
      }
      while (!events_.empty() && events_.top().at <= at_once) {
        const Event event = events_.top();
        events_.pop();
        happen(event);
      }
    }
    ensure(unfinished_ == 0 || now_ > give_up_after,
           "schedules that pass the checker come to their end",
           unfinished_);
    return now_;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  /// Of one lane of one rank; its place is rank * lanes + lane.
  struct State {
    std::size_t round = 0;
    std::size_t next = 0;   // transfer of the round that is not done yet
    bool has_sent = false;  // what it sends in this round
    bool is_adding = false;
    bool is_over = false;

    /// Messages that have not been read, by the round they were sent in.
    std::array<std::uint32_t, kRoundsInFlight> in_flight{};
  };

  struct Message {
    std::size_t from = 0;  // places
    std::size_t to = 0;
    double bytes = 0.0;
  };

  /// A message has paid its way, or an addition is over.
  struct Event {
    double at = 0.0;
    std::uint64_t number = 0;  // in the order in which they were foreseen
    bool is_addition = false;
    Message message;

    friend bool operator>(const Event& a, const Event& b) {
      return a.at != b.at ? a.at > b.at : a.number > b.number;
    }
  };

  std::span<const Schedule> schedules_;
  std::size_t elements_;
  std::size_t element_bytes_;
  const LinkModel& link_;
  std::size_t lanes_;
  double now_ = 0.0;
  std::vector<State> states_;
  std::size_t unfinished_;
  std::vector<double> adder_free_;
  Routes routes_;
  SharedLinks links_;
  std::vector<Message> under_way_;  // by flow
  std::vector<std::map<std::size_t, std::uint32_t>>
      unread_;                      // messages that are there, by receiver and sender
  std::vector<std::size_t> awake_;  // lanes that may get further
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t foreseen_ = 0;

  [[nodiscard]] const Lane& lane_at(std::size_t place) const {
    return schedules_[place / lanes_].lanes[place % lanes_];
  }

  [[nodiscard]] double bytes_of(std::size_t place, const Transfer& transfer) const {
    return collective::bytes_of(
        schedules_[place / lanes_], lane_at(place), transfer, elements_, element_bytes_);
  }

  /// Of those between two lanes.
  [[nodiscard]] std::uint32_t& unread(const Message& message) {
    return unread_[message.to][message.from];
  }

  void foresee(double at, bool is_addition, const Message& message) {
    events_.push({at, foreseen_++, is_addition, message});
  }

  void happen(const Event& event) {
    if (!event.is_addition) {
      launch(event.message);
      return;
    }
    State& state = states_[event.message.to];
    state.is_adding = false;
    state.next += 1;
    wake(event.message.to);
  }

  void arrive(const Message& message) {
    unread(message) += 1;
    wake(message.to);
  }

  void wake(std::size_t place) { awake_.push_back(place); }

  void go_on() {
    for (std::size_t k = 0; k < awake_.size(); ++k) {
      advance(awake_[k]);
    }
    awake_.clear();
  }

  /// As far as the lane gets now.
  void advance(std::size_t place) {
    State& state = states_[place];
    if (state.is_over) {
      return;
    }
    const Lane& lane = lane_at(place);
    while (state.round < lane.rounds()) {
      const auto transfers = lane.round(state.round);
      if (!state.has_sent && !may_send(place)) {
        return;
      }
      while (state.next < transfers.size() && transfers[state.next].action == Action::send) {
        send(place, transfers[state.next++]);
      }
      state.has_sent = true;
      while (state.next < transfers.size()) {
        if (state.is_adding || !receive(place, transfers[state.next])) {
          return;
        }
        state.next += 1;
      }
      state.round += 1;
      state.next = 0;
      state.has_sent = false;
    }
    state.is_over = true;
    unfinished_ -= 1;
  }

  /// Whether the lane may open its round: few messages of earlier ones are unread.
  [[nodiscard]] bool may_send(std::size_t place) const {
    const State& state = states_[place];
    const std::size_t done =
        rounds_to_be_over(schedules_[place / lanes_], place % lanes_, state.round);
    for (std::size_t back = 1; back <= kRoundsInFlight && back <= state.round; ++back) {
      if (state.round - back < done &&
          state.in_flight[(state.round - back) % kRoundsInFlight] > 0) {
        return false;
      }
    }
    return true;
  }

  void send(std::size_t place, const Transfer& transfer) {
    const Message message{
        place, transfer.peer * lanes_ + place % lanes_, bytes_of(place, transfer)};
    State& state = states_[place];
    state.in_flight[state.round % kRoundsInFlight] += 1;
    const double latency = link_.hop_seconds * routes_.hops(route_of(message));
    if (latency > 0.0) {
      foresee(now_ + latency, false, message);
    } else {
      launch(message);
    }
  }

  void launch(const Message& message) {
    const auto route = route_of(message);
    const auto flow =
        links_.start(now_, route, routes_.seconds(message.bytes), 1.0 / routes_.hops(route));
    under_way_.resize(std::max<std::size_t>(under_way_.size(), flow + 1));
    under_way_[flow] = message;
  }

  std::span<const std::uint32_t> route_of(const Message& message) {
    return routes_.find(message.from / lanes_, message.to / lanes_, message.from % lanes_);
  }

  /// @return false if the message is not there yet, or has to be added
  bool receive(std::size_t place, const Transfer& transfer) {
    const Message message{transfer.peer * lanes_ + place % lanes_, place, 0.0};
    std::uint32_t& here = unread(message);
    if (here == 0) {
      return false;
    }
    here -= 1;
    State& state = states_[place];
    State& sender = states_[message.from];
    sender.in_flight[state.round % kRoundsInFlight] -= 1;
    if (!sender.has_sent) {
      wake(message.from);
    }
    const double seconds = transfer.action == Action::add
                               ? bytes_of(place, transfer) * link_.gamma_seconds_per_byte
                               : 0.0;
    if (seconds == 0.0) {
      return true;
    }
    double& adder = adder_free_[place / lanes_];
    adder = std::max(adder, now_) + seconds;
    state.is_adding = true;
    foresee(adder, true, message);
    return false;
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

namespace {

void expect_playable(std::span<const Schedule> schedules, const LinkModel& link) {
  ensure(!schedules.empty() && link.ports > 0 &&
             (link.torus.empty() || product(link.torus) == schedules.size()),
         "a prediction needs schedules and ports, and a place on the torus for everybody",
         schedules.size(),
         link.ports);
}

}  // namespace

double predict(std::span<const Schedule> schedules,
               std::size_t elements,
               std::size_t element_bytes,
               const LinkModel& link,
               double give_up_after) {
  expect_playable(schedules, link);
  return Clockwork(schedules, elements, element_bytes, link).run(give_up_after);
}

double busiest_link(std::span<const Schedule> schedules,
                    std::size_t elements,
                    std::size_t element_bytes,
                    const LinkModel& link) {
  expect_playable(schedules, link);
  Routes routes(link, schedules.size());
  std::vector<double> busy(routes.links());
  for (const Schedule& schedule : schedules) {
    for (std::size_t index = 0; index < schedule.lanes.size(); ++index) {
      const Lane& lane = schedule.lanes[index];
      for (const Transfer& transfer : lane.transfers()) {
        if (transfer.action != Action::send) {
          continue;
        }
        const double seconds =
            routes.seconds(bytes_of(schedule, lane, transfer, elements, element_bytes));
        for (const std::uint32_t taken : routes.find(schedule.rank, transfer.peer, index)) {
          busy[taken] += seconds;
        }
      }
    }
  }
  return *std::max_element(busy.begin(), busy.end());
}

}  // namespace starling::collective
