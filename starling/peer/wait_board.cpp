#include "starling/peer/wait_board.hpp"

#include <sstream>

namespace starling {

WaitBoard::WaitBoard(std::size_t size) : size_(size), slots_(std::make_unique<Slot[]>(size)) {}

void WaitBoard::enter(PeerId waiter, PeerId awaited, Time now) noexcept {
  if (waiter.value >= size_) {
    return;
  }
  Slot& slot = slots_[waiter.value];
  slot.since.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  slot.awaited.store(static_cast<std::int64_t>(awaited.value), std::memory_order_relaxed);
}

void WaitBoard::leave(PeerId waiter) noexcept {
  if (waiter.value < size_) {
    slots_[waiter.value].awaited.store(-1, std::memory_order_relaxed);
  }
}

std::optional<PeerId> WaitBoard::awaited_by(PeerId waiter) const noexcept {
  if (waiter.value >= size_) {
    return std::nullopt;
  }
  const std::int64_t awaited = slots_[waiter.value].awaited.load(std::memory_order_relaxed);
  if (awaited < 0) {
    return std::nullopt;
  }
  return PeerId{static_cast<std::uint64_t>(awaited)};
}

PeerId WaitBoard::culprit(PeerId awaited) const noexcept {
  PeerId current = awaited;
  for (std::size_t hops = 0; hops <= size_; ++hops) {
    const auto next = awaited_by(current);
    if (!next) {
      return current;
    }
    current = *next;
  }
  return awaited;
}

std::string WaitBoard::table(Time now) const {
  std::ostringstream text;
  for (std::size_t peer = 0; peer < size_; ++peer) {
    const auto awaited = awaited_by({peer});
    if (!awaited) {
      continue;
    }
    const Time since{Duration(slots_[peer].since.load(std::memory_order_relaxed))};
    text << to_string(PeerId{peer}) << " waits for " << to_string(*awaited) << " since "
         << seconds(now - since) << " s\n";
  }
  return text.str();
}

}  // namespace starling
