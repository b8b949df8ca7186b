#include "starling/transport/threads/parker.hpp"

#include <algorithm>
#include <thread>

namespace starling::threads {

namespace {

void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

void Parker::unpark() noexcept {
  if (news_.exchange(true)) {
    return;
  }  // whoever brought the unread news wakes the owner
  if (!asleep_.load()) {
    return;
  }
  { const std::lock_guard lock(mutex_); }  // the owner is not between looking and sleeping
  wake_.notify_one();
}

void Parker::park(SteadyTime until, Duration spin) {
  if (spin > Duration{}) {
    const SteadyTime spin_until = std::chrono::steady_clock::now() + spin;
    if (spin_for_news(std::min(until, spin_until))) {
      return;
    }
  }
  std::unique_lock lock(mutex_);
  asleep_.store(true);
  wake_.wait_until(lock, until, [this] { return news_.load(); });
  asleep_.store(false);
  news_.exchange(false);
}

bool Parker::spin_for_news(SteadyTime until) {
  constexpr int kLooksPerClockRead = 16;
  do {
    for (int look = 0; look < kLooksPerClockRead; ++look) {
      if (news_.load()) {
        news_.exchange(false);
        return true;
      }
      relax();
    }
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < until);
  return false;
}

ParkerPool::Lease ParkerPool::lease() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    free_.reserve(all_.size() + 1);  // so that take_back() never allocates
    free_.push_back(&all_.emplace_back());
  }
  Parker* parker = free_.back();
  free_.pop_back();
  leased_.fetch_add(1, std::memory_order_relaxed);
  return {parker, Return{this}};
}

void ParkerPool::take_back(Parker* parker) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(parker);
  leased_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace starling::threads
