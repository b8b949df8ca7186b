// Where one thread waits for news: spins shortly if a core is free for it, then sleeps.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "starling/core/time.hpp"

namespace starling::threads {

/// Holds at most one piece of news: "look again". Owned by one thread, woken by any.
class Parker {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  /// Wakes the owner now, or keeps its next park() from waiting.
  void unpark() noexcept;

  /// Returns after an unpark(), at `until` or for no reason: the caller looks again at what it
  /// awaits.
  void park(SteadyTime until, Duration spin);

  /// Whether the next park() returns at once.
  [[nodiscard]] bool has_news() const noexcept { return news_.load(); }

 private:
  // Sequentially consistent, as asleep_: either the owner sees the news before it sleeps, or the
  // one who brings it sees that the owner sleeps.
  std::atomic<bool> news_{false};
  std::atomic<bool> asleep_{false};
  std::mutex mutex_;  // guards nothing but the step from looking at news_ to sleeping
  std::condition_variable wake_;

  bool spin_for_news(SteadyTime until);
};

/// Lends a parker to every thread of a run. Parkers live as long as the pool, so that news may be
/// brought after the lock under which its owner was found: at worst it wakes the next owner for no
/// reason.
class ParkerPool {
 public:
  struct Return {
    ParkerPool* pool;

    void operator()(Parker* parker) const noexcept { pool->take_back(parker); }
  };

  using Lease = std::unique_ptr<Parker, Return>;

  Lease lease();

  /// How many threads the run has now.
  [[nodiscard]] std::size_t leased() const noexcept {
    return leased_.load(std::memory_order_relaxed);
  }

 private:
  std::mutex mutex_;  // guards all_ and free_
  std::deque<Parker> all_;
  std::vector<Parker*> free_;
  std::atomic<std::size_t> leased_{0};  // relaxed: a hint for whether spinning pays

  void take_back(Parker* parker) noexcept;
};

}  // namespace starling::threads
