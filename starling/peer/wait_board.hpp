// Who waits for whom: one slot a peer, written by the peer, read by anyone who asks who is slow.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "starling/core/peer_id.hpp"
#include "starling/core/time.hpp"

namespace starling {

/// The waits of the peers 0 .. size-1 of one static world. All members may be called concurrently.
class WaitBoard {
 public:
  explicit WaitBoard(std::size_t size);

  /// `waiter` waits for `awaited` from now on.
  void enter(PeerId waiter, PeerId awaited, Time now) noexcept;
  void leave(PeerId waiter) noexcept;

  /// The end of the chain of waits that starts at `awaited`: the first peer on it that waits for
  /// nobody; if the chain is a circle, `awaited` itself.
  [[nodiscard]] PeerId culprit(PeerId awaited) const noexcept;

  [[nodiscard]] std::optional<PeerId> awaited_by(PeerId waiter) const noexcept;

  /// "peer 0 waits for peer 1 since 3.2 s" for every peer that waits, one a line.
  [[nodiscard]] std::string table(Time now) const;

 private:
  // Relaxed throughout: the board is a hint for people, nothing is decided from it but whom to
  // name.
  struct Slot {
    std::atomic<std::int64_t> awaited{-1};
    std::atomic<Time::rep> since{0};
  };

  std::size_t size_;
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace starling
