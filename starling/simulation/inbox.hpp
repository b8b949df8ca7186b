// What has arrived at one peer and has not been read yet, and who waits for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "starling/core/buffer.hpp"
#include "starling/peer/message.hpp"
#include "starling/peer/queue_room.hpp"
#include "starling/peer/waiters.hpp"
#include "starling/simulation/scheduler.hpp"

namespace starling::simulation {

struct Letter {
  Stamp stamp;
  Buffer payload;
  std::uint64_t ticket = 0;  ///< of its post; 0: it was sent
  bool has_room = false;     ///< counts against a bound of its queue
};

class Inbox {
 public:
  /// A letter's place: its queue, and which arrival it was.
  using Place = std::pair<QueueKey, std::uint64_t>;

  explicit Inbox(Scheduler& scheduler) : scheduler_(scheduler) {}

  /// Counts `letter`, to be sent or just arrived, against the bounds of its queue, if there is
  /// room. What is sent and what is posted have bounds of their own: neither holds the other up.
  bool admit(const QueueKey& queue, Letter& letter);

  /// `letter` is gone: what it took is free again.
  void release(const QueueKey& queue, const Letter& letter);

  /// Puts `letter` behind what came before. The caller calls it out.
  Place put(const QueueKey& queue, Letter letter);

  /// Notifies those who wait for news of `queue`.
  void call_out(News news, const QueueKey& queue);

  [[nodiscard]] bool holds(Source from, Tag tag) const;

  /// The stamp of the letter of (from, tag) that arrived first.
  [[nodiscard]] std::optional<Stamp> peek(Source from, Tag tag) const;

  struct Taken {
    PeerId from;
    Letter letter;
  };

  /// The letter of (from, tag) that arrived first.
  std::optional<Taken> take(Source from, Tag tag);

  /// Takes a letter out unread, if it is still there.
  void remove(const Place& place);

  /// Nobody reads it any more: everything goes, and who waits for room looks again.
  void close();

  void add(const Waiter<Task>& waiter) { waiters_.add(waiter); }

  void remove(const Waiter<Task>& waiter) noexcept { waiters_.remove(waiter); }

  /// Notifies those who wait for a letter of `peer`, which has left, and those who wait for anyone
  /// if nobody else is there.
  void call_out_leave(PeerId peer, bool nobody_else);

 private:
  struct Rooms {
    QueueRoom sent;
    QueueRoom posted;
  };

  Scheduler& scheduler_;
  std::map<QueueKey, Rooms> rooms_;
  std::map<Place, Letter> letters_;
  std::map<std::pair<Tag, std::uint64_t>, PeerId> arrivals_;
  std::uint64_t arrived_ = 0;
  Waiters<Task> waiters_;

  [[nodiscard]] std::map<Place, Letter>::const_iterator first_of(const QueueKey& queue) const;
  Letter extract(std::map<Place, Letter>::const_iterator letter);
};

}  // namespace starling::simulation
