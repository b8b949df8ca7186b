#include "starling/transport/threads/switchboard.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "starling/core/ensure.hpp"

namespace starling::threads {

Switchboard::Switchboard(const ThreadWorldOptions& options)
    : options_(options),
      cores_(std::max(1U, std::thread::hardware_concurrency())),
      peers_(peers_by_rank(options.peers)),
      inboxes_(std::make_unique<Inbox[]>(options.peers)),
      departures_(std::make_unique<Departure[]>(options.peers)),
      waits_(options.peers) {}

Inbox& Switchboard::inbox(PeerId peer) {
  ensure(peer.value < peers_.size(), "no such peer in this world", peer.value, peers_.size());
  return inboxes_[peer.value];
}

Time Switchboard::now() const {
  return Time{std::chrono::steady_clock::now() - start_};
}

Parker::SteadyTime Switchboard::steady(Time time) const {
  const Duration left = time - now();
  return std::chrono::steady_clock::now() + std::min<Duration>(left, std::chrono::hours(1));
}

Duration Switchboard::spin() const noexcept {
  return parkers_.leased() <= cores_ ? options_.spin : Duration{};
}

void Switchboard::leave(PeerId peer, Goodbye goodbye) {
  Departure& departure = departures_[peer.value];
  departure.goodbye = std::move(goodbye);
  departure.left.store(true, std::memory_order_release);
  inboxes_[peer.value].close();
  for (const PeerId other : peers_) {
    inboxes_[other.value].wake_all();
  }
}

std::optional<PeerId> Switchboard::gone(PeerId self, Source from) const {
  if (from) {
    return has_left(*from) ? from : std::nullopt;
  }
  return last_witness(
      self, peers_, [this](PeerId peer) { return has_left(peer) ? &goodbye(peer) : nullptr; });
}

const Goodbye& Switchboard::goodbye(PeerId peer) const {
  ensure(has_left(peer), "only a peer that left has said goodbye", peer.value);
  return departures_[peer.value].goodbye;
}

bool Switchboard::has_left(PeerId peer) const {
  ensure(peer.value < peers_.size(), "no such peer in this world", peer.value, peers_.size());
  return departures_[peer.value].left.load(std::memory_order_acquire);
}

}  // namespace starling::threads
