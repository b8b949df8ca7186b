// What has been sent to one peer and not been read yet: a queue for every source and tag.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "starling/peer/message.hpp"
#include "starling/peer/queue_room.hpp"
#include "starling/peer/waiters.hpp"
#include "starling/transport/threads/parker.hpp"

namespace starling::threads {

/// Memory lent to the channel by post(). Owned by the lender, which keeps it until it is over:
/// read, withdrawn or lost.
struct Loan {
  enum class State : std::uint8_t {
    queued,     ///< in the inbox of its reader
    reading,    ///< the reader is at it: the memory must stay
    read,       ///< over
    withdrawn,  ///< over: taken back unread
    lost,       ///< over: the reader left before it read it
  };

  // Changes under the lock of the reader's inbox, but for reading -> read. Released and acquired,
  // so that the lender's next write to the memory comes after the reader's last look at it.
  std::atomic<State> state{State::queued};
  Parker* lender = nullptr;  ///< woken when it is over
  PeerId from;
  PeerId to;
  Tag tag;
  Time since{};

  [[nodiscard]] bool over() const noexcept {
    const State now = state.load(std::memory_order_acquire);
    return now != State::queued && now != State::reading;
  }
};

/// One message: an owned payload, or a lent one.
struct Letter {
  PeerId from;
  Stamp stamp;
  Buffer payload;
  std::span<const std::byte> lent;
  Loan* loan = nullptr;
  std::uint64_t arrival = 0;

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return loan != nullptr ? lent : payload.bytes();
  }
};

/// A letter taken out of an inbox. Its lender gets the memory back when this goes.
class Reading {
 public:
  explicit Reading(Letter letter) : letter_(std::move(letter)) {}

  Reading(Reading&& other) noexcept;
  Reading& operator=(Reading&&) = delete;
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading();

  const Letter* operator->() const noexcept { return &letter_; }

  /// The payload as a buffer of its own: handed over, or copied if it was lent.
  Buffer take_payload();

 private:
  Letter letter_;
};

class Inbox {
 public:
  enum class Put : std::uint8_t { stored, full, closed };

  /// Moves `letter` in if its queue has room; leaves it alone unless stored.
  Put put(Tag tag, Letter& letter);

  /// Queues the lent `payload` behind what was sent before. It needs no room, the memory is the
  /// sender's own. The loan is lost at once if the inbox
  /// is closed. @pre the loan outlives its stay here: it is over, or was taken back
  void lend(Loan& loan, const Stamp& stamp, std::span<const std::byte> payload);

  /// @return false if the loan is not (or no longer) in a queue
  bool take_back(Loan& loan) noexcept;

  [[nodiscard]] bool holds(Source from, Tag tag);

  /// The stamp of the oldest letter of (from, tag), if there is one.
  std::optional<Stamp> peek(Source from, Tag tag);

  /// The oldest letter of (from, tag), if there is one.
  std::optional<Reading> take(Source from, Tag tag);

  /// The owner leaves: unread loans are lost, nothing is stored any more.
  void close();

  /// Every waiter looks again.
  void wake_all();

  void add(const Waiter<Parker>& waiter);
  void remove(const Waiter<Parker>& waiter) noexcept;

 private:
  struct Queue {
    std::list<Letter> letters;
    QueueRoom room;
  };

  using Queues = std::map<QueueKey, Queue>;

  std::mutex mutex_;  // guards all below; no other lock but a parker's is taken under it
  Queues queues_;
  std::list<Letter> spare_;  // nodes of letters that were read: a steady state allocates nothing
  Waiters<Parker> waiters_;
  std::uint64_t arrivals_ = 0;
  bool closed_ = false;

  void append(Queue& queue, Letter&& letter);
  Queues::iterator first_come(Source from, Tag tag);
  Parker* wake_but_one(News news, PeerId from, Tag tag);
};

}  // namespace starling::threads
