// One participant that is a thread; or one more activity of it, with a Peer of its own.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "starling/peer/peer.hpp"
#include "starling/peer/wait.hpp"
#include "starling/transport/threads/switchboard.hpp"

namespace starling::threads {

class ThreadPeer final : public Peer {
 public:
  /// The peer `id` itself.
  ThreadPeer(Switchboard& board, PeerId id);

  /// An activity of `parent`, which ends before it does. It keeps no place on the wait board: a
  /// peer is slow when its main activity is.
  ThreadPeer(const ThreadPeer& parent, std::stop_token stop);

  [[nodiscard]] std::span<const PeerId> peers() const override { return board_.peers(); }

  [[nodiscard]] Clock& clock() override { return clock_; }

  std::unique_ptr<Activity> spawn(std::string name,
                                  std::function<void(Peer&, std::stop_token)> work) override;

  [[nodiscard]] Directory& directory() override { return directory_; }

  /// Counts what an activity of this peer spent.
  void merge(const Meter& meter) { add_to_meter(meter); }

  [[nodiscard]] Parker& parker() const noexcept { return *parker_; }

  /// Parks until one of the ends has come. News about `awaited` must reach parker().
  WaitEnd wait(Deadline deadline, const Awaited& awaited);

 private:
  class RunningClock final : public Clock {
   public:
    explicit RunningClock(ThreadPeer& owner) : owner_(owner) {}

    [[nodiscard]] Time now() const override { return owner_.board_.now(); }

    void sleep_for(Duration duration) override;

   private:
    ThreadPeer& owner_;
  };

  class SharedDirectory final : public Directory {
   public:
    explicit SharedDirectory(Switchboard& board) : board_(board) {}

    Result<bool> put(std::string_view key, Record record, Deadline deadline) override;
    Result<std::vector<Record>> get(std::string_view key, Deadline deadline) override;

   private:
    Switchboard& board_;
  };

  struct Unpark {
    Parker* parker;

    void operator()() const noexcept { parker->unpark(); }
  };

  Result<void> do_send(
      PeerId to, Tag tag, const Stamp& stamp, Buffer payload, Deadline deadline) override;
  std::uint64_t do_post(PeerId to,
                        Tag tag,
                        const Stamp& stamp,
                        std::span<const std::byte> payload) override;
  Result<void> do_wait_posted(std::uint64_t ticket, Deadline deadline) override;
  void do_withdraw(std::uint64_t ticket) noexcept override;
  Result<void> do_await(Source from, Tag tag, Deadline deadline) override;
  Result<std::size_t> do_await_any(std::span<const Hope> hopes, Deadline deadline) override;
  std::optional<Stamp> do_peek(Source from, Tag tag) override;
  std::optional<Message> do_take(Source from, Tag tag) override;
  Result<void> do_take_pieces(
      PeerId from, Tag tag, Judge fits, PieceSink sink, Deadline deadline) override;
  void do_compute(Duration cost, FunctionRef<void()> work) override;

  [[nodiscard]] bool has_come(const Hope& hope);
  [[nodiscard]] Failure left(PeerId gone, Duration waited) const;
  void wait_until_over(const Loan& loan) noexcept;

  Switchboard& board_;
  ParkerPool::Lease parker_;
  std::stop_token stop_;
  std::stop_callback<Unpark> on_stop_;
  RunningClock clock_;
  SharedDirectory directory_;
  std::deque<Loan> loans_;  // by ticket; a deque because inboxes point into it
  std::vector<std::uint64_t> free_tickets_;
};

}  // namespace starling::threads
