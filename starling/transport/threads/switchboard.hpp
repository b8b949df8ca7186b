// What the peers of one run on threads share: inboxes, goodbyes, the clock's start, the directory.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "starling/peer/goodbye.hpp"
#include "starling/peer/memory_directory.hpp"
#include "starling/peer/wait_board.hpp"
#include "starling/transport/threads/inbox.hpp"
#include "starling/transport/threads/parker.hpp"
#include "starling/transport/threads/thread_world.hpp"

namespace starling::threads {

class Switchboard {
 public:
  /// The clock starts here.
  explicit Switchboard(const ThreadWorldOptions& options);

  [[nodiscard]] const ThreadWorldOptions& options() const noexcept { return options_; }

  [[nodiscard]] std::span<const PeerId> peers() const noexcept { return peers_; }

  /// @throws ContractError if there is no such peer
  Inbox& inbox(PeerId peer);

  ParkerPool& parkers() noexcept { return parkers_; }

  WaitBoard& waits() noexcept { return waits_; }

  RecordTable& records() noexcept { return records_; }

  [[nodiscard]] Time now() const;

  /// `time` on the clock threads sleep by; far moments are cut to an hour from now.
  [[nodiscard]] Parker::SteadyTime steady(Time time) const;

  /// How long a wait may spin: not at all if there are more threads than cores.
  [[nodiscard]] Duration spin() const noexcept;

  /// Tells everybody that `peer` has ended, and why.
  void leave(PeerId peer, Goodbye goodbye);

  /// The one who makes a wait of `self` for `from` hopeless: `from` if it has left; for anyone, the
  /// last_witness().
  [[nodiscard]] std::optional<PeerId> gone(PeerId self, Source from) const;

  /// @pre `peer` has left
  [[nodiscard]] const Goodbye& goodbye(PeerId peer) const;

 private:
  struct Departure {
    // Released after the goodbye is written and acquired before it is read; the goodbye never
    // changes.
    std::atomic<bool> left{false};
    Goodbye goodbye;
  };

  ThreadWorldOptions options_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::size_t cores_;
  std::vector<PeerId> peers_;
  std::unique_ptr<Inbox[]> inboxes_;
  std::unique_ptr<Departure[]> departures_;
  ParkerPool parkers_;
  WaitBoard waits_;
  RecordTable records_;

  [[nodiscard]] bool has_left(PeerId peer) const;
};

}  // namespace starling::threads
