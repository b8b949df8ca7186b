// What the tests of the simulation share: worlds by options, recorded events, a few words.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/buffer.hpp"
#include "starling/core/error.hpp"
#include "starling/peer/peer.hpp"
#include "starling/simulation/sim_world.hpp"

namespace starling::simulation {

using namespace std::chrono_literals;

inline constexpr Tag kTag{Purpose::user, 0};

/// Keeps all events with their origin.
class Recorder final : public Observer {
 public:
  void on_event(const Event& event) override { events.push_back(event); }

  template <class What>
  [[nodiscard]] std::vector<std::pair<Event, What>> all() const {
    std::vector<std::pair<Event, What>> found;
    for (const Event& event : events) {
      if (const auto* what = std::get_if<What>(&event.what)) {
        found.emplace_back(event, *what);
      }
    }
    return found;
  }

  std::vector<Event> events;
};

inline RunReport simulate(const SimOptions& options, const std::function<void(Peer&)>& body) {
  return SimWorld(options).run(body);
}

inline Deadline in(Peer& peer, Duration duration) {
  return peer.clock().in(duration);
}

inline Stamp round_stamp(std::uint64_t round) {
  return {.round = round};
}

inline PeerId right_of(const Peer& peer) {
  return {(peer.id().value + 1) % peer.peers().size()};
}

inline PeerId left_of(const Peer& peer) {
  return {(peer.id().value + peer.peers().size() - 1) % peer.peers().size()};
}

inline void send(Peer& peer, PeerId to, std::uint64_t round, std::size_t bytes = 8) {
  peer.send(to, kTag, round_stamp(round), Buffer(bytes), in(peer, 1h)).or_throw();
}

inline std::uint64_t receive(Peer& peer, PeerId from, Duration patience = 1h) {
  return peer.receive(from, kTag, in(peer, patience)).or_throw().stamp.round;
}

/// The failure of a result that must be one.
template <class T>
Failure failure_of(const Result<T>& result) {
  if (!result) {
    return result.error();
  }
  ADD_FAILURE() << "expected a failure";
  return {};
}

}  // namespace starling::simulation
