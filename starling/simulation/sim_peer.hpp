// One participant that is an actor; or one more activity of it, with a Peer of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "starling/peer/peer.hpp"
#include "starling/peer/wait.hpp"
#include "starling/simulation/sim_run.hpp"

namespace starling::simulation {

class SimPeer final : public Peer {
 public:
  /// The peer `id` itself.
  SimPeer(SimRun& run, PeerId id, Task& task);

  /// An activity of `parent`, which ends before it does. It keeps no place on the wait board: a
  /// peer is slow when its main activity is.
  SimPeer(const SimPeer& parent, std::stop_token stop, Task& task);

  [[nodiscard]] std::span<const PeerId> peers() const override { return run_.peers(); }

  [[nodiscard]] Clock& clock() override { return clock_; }

  std::unique_ptr<Activity> spawn(std::string name,
                                  std::function<void(Peer&, std::stop_token)> work) override;

  [[nodiscard]] Directory& directory() override { return directory_; }

  /// Counts what an activity of this peer spent.
  void merge(const Meter& meter) { add_to_meter(meter); }

  [[nodiscard]] Task& task() const noexcept { return task_; }

  [[nodiscard]] Scheduler& scheduler() const noexcept { return run_.scheduler(); }

  /// Sleeps until one of the ends has come. News about `awaited` must notify task().
  WaitEnd wait(Deadline deadline, const Awaited& awaited);

  /// Lets time pass. @return false if told to stop before
  bool doze(Time until);

 private:
  class VirtualClock final : public Clock {
   public:
    explicit VirtualClock(SimPeer& owner) : owner_(owner) {}

    [[nodiscard]] Time now() const override { return owner_.run_.now(); }

    void sleep_for(Duration duration) override;

   private:
    SimPeer& owner_;
  };

  /// The table all share, behind a modelled distance.
  class DistantDirectory final : public Directory {
   public:
    explicit DistantDirectory(SimPeer& owner) : owner_(owner) {}

    Result<bool> put(std::string_view key, Record record, Deadline deadline) override;
    Result<std::vector<Record>> get(std::string_view key, Deadline deadline) override;

   private:
    Result<void> look(Deadline deadline);

    SimPeer& owner_;
    std::optional<Random> losses_;
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
  void spin();

  SimRun& run_;
  Task& task_;
  std::stop_token stop_;
  VirtualClock clock_;
  DistantDirectory directory_;
  Time last_spin_{};
  std::size_t spins_ = 0;
};

}  // namespace starling::simulation
