// How much a queue between two peers holds before its sender has to wait.
#pragma once

#include <cstddef>

namespace starling {

/// What one queue (of a source, a destination and a tag) holds. Its bounds are those of every
/// world, so that what runs in one does not block in another.
class QueueRoom {
 public:
  static constexpr std::size_t kMessagesMax = 64;
  static constexpr std::size_t kBytesMax = std::size_t{64} << 20U;

  /// Counts a message of `bytes` in, if there is room; a message of any size enters an empty queue.
  /// @return whether there was
  [[nodiscard]] bool enter(std::size_t bytes) noexcept {
    const bool room = messages_ == 0 || (messages_ < kMessagesMax && bytes_ + bytes <= kBytesMax);
    if (room) {
      messages_ += 1;
      bytes_ += bytes;
    }
    return room;
  }

  /// @pre a message of `bytes` has entered
  void leave(std::size_t bytes) noexcept {
    messages_ -= 1;
    bytes_ -= bytes;
  }

 private:
  std::size_t messages_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace starling
