// Who waits at an inbox, and for what: so that news wakes those it concerns.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "starling/peer/message.hpp"
#include "starling/peer/peer.hpp"

namespace starling {

enum class News : std::uint8_t {
  letter,  ///< a message has come
  room,    ///< a queue has room again
};

/// Somebody who wants to know. `Sleeper` is what its world wakes: a thread's parker, an actor.
template <class Sleeper>
struct Waiter {
  News awaited = News::letter;
  Source from;  ///< of the message; of the queue, which is the sender that waits
  Tag tag;
  Sleeper* sleeper = nullptr;

  /// Whether news of the queue (source, queue_tag) is what it waits for.
  [[nodiscard]] bool is_concerned(News news, PeerId source, Tag queue_tag) const noexcept {
    return awaited == news && tag == queue_tag && (!from || *from == source);
  }
};

/// All who wait at one inbox, in the order they came. The inbox guards it.
template <class Sleeper>
class Waiters {
 public:
  /// @pre `waiter` stays where it is until it is removed
  void add(const Waiter<Sleeper>& waiter) { all_.push_back(&waiter); }

  void remove(const Waiter<Sleeper>& waiter) noexcept { std::erase(all_, &waiter); }

  [[nodiscard]] auto begin() const noexcept { return all_.begin(); }

  [[nodiscard]] auto end() const noexcept { return all_.end(); }

 private:
  std::vector<const Waiter<Sleeper>*> all_;
};

/// A place among the waiters of an inbox, as long as it lives.
template <class Inbox, class Sleeper>
class Registration {
 public:
  Registration(Inbox& inbox, const Waiter<Sleeper>& waiter) : inbox_(inbox), waiter_(waiter) {
    inbox_.add(waiter_);
  }

  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  ~Registration() { inbox_.remove(waiter_); }

 private:
  Inbox& inbox_;
  Waiter<Sleeper> waiter_;
};

/// A place for every message among several things hoped for.
template <class Inbox, class Sleeper>
class Registrations {
 public:
  Registrations(Inbox& inbox, std::span<const Hope> hopes, Sleeper& sleeper) {
    for (const Hope& hope : hopes) {
      if (hope.send == nullptr) {
        places_.emplace_back(inbox, Waiter<Sleeper>{News::letter, hope.other, hope.tag, &sleeper});
      }
    }
  }

 private:
  std::deque<Registration<Inbox, Sleeper>> places_;  // a deque because they stay where they are
};

}  // namespace starling
