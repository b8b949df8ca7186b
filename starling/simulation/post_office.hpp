// The channel between peers: messages under way, in order; what became of them; who has left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>

#include "starling/core/buffer.hpp"
#include "starling/peer/goodbye.hpp"
#include "starling/peer/message.hpp"
#include "starling/simulation/faults.hpp"
#include "starling/simulation/inbox.hpp"
#include "starling/simulation/links.hpp"
#include "starling/simulation/scheduler.hpp"

namespace starling::simulation {

/// What became of a posted message.
enum class Posted : std::uint8_t {
  under_way,
  taken,  ///< it has arrived and found room, or was read: like one that was sent
  lost,
};

class PostOffice {
 public:
  PostOffice(Kernel& kernel,
             Scheduler& scheduler,
             std::span<const PeerId> peers,
             const FaultPlan& faults,
             std::uint64_t seed);

  /// From now on every byte of a payload counts as `scale` bytes on its way.
  void set_byte_scale(std::size_t scale) noexcept { byte_scale_ = scale; }

  enum class Sent : std::uint8_t { taken, full, closed };

  /// Starts a message to `to` that goes into its queue `queue`. Moves `payload` in; leaves it alone
  /// unless taken.
  Sent send(PeerId to, const QueueKey& queue, const Stamp& stamp, Buffer& payload);

  /// A message whose fate is asked for by ticket; `poster` is notified of it.
  std::uint64_t post(
      PeerId to, const QueueKey& queue, const Stamp& stamp, Buffer payload, Task& poster);
  [[nodiscard]] Posted fate(std::uint64_t ticket) const;
  [[nodiscard]] PeerId reader(std::uint64_t ticket) const;
  [[nodiscard]] Tag tag(std::uint64_t ticket) const;

  /// Forgets the ticket of a message that may stay.
  void forget(std::uint64_t ticket);

  /// Takes the message back unless it has been read.
  void withdraw(std::uint64_t ticket);

  /// What has arrived at `peer`.
  [[nodiscard]] Inbox& inbox(PeerId peer) { return node(peer).inbox; }

  /// The message of (from, tag) that arrived first.
  std::optional<Message> take(PeerId owner, Source from, Tag tag);

  /// Who makes a wait of `owner` for (from, tag) hopeless: `from` if it is gone and nothing of it
  /// is under way; for anyone, the last_witness() if nothing of anyone is.
  [[nodiscard]] std::optional<PeerId> gone(PeerId owner, Source from, Tag tag) const;

  /// Whether `peer` has ended, or is known to be off.
  [[nodiscard]] bool is_gone(PeerId peer) const { return node(peer).goodbye.has_value(); }

  /// @pre is_gone(peer)
  [[nodiscard]] const Goodbye& goodbye(PeerId peer) const;

  /// `peer` has ended; what it sent still arrives.
  void leave(PeerId peer, Goodbye goodbye);

  /// The host of `peer` is off: what is under way to or from it is lost, and nobody knows yet.
  void turn_off(PeerId peer);

  /// It is on again, with nothing in its inbox.
  void turn_on(PeerId peer);

 private:
  using TransferId = std::uint64_t;

  struct Transfer {
    PeerId to;
    QueueKey queue;
    std::uint64_t number = 0;  // place in its queue
    FlightId flight = 0;       // 0: a link is down, or it has landed
    bool landed = false;
    Duration delay{};
    Letter letter;
  };

  /// The order in which a queue was sent.
  struct Order {
    std::uint64_t sent = 0;
    std::uint64_t settled = 0;                  // of those: arrived in order, or lost
    std::map<std::uint64_t, TransferId> early;  // arrived (0: lost) before an earlier one
  };

  struct Loan {
    PeerId to;
    Tag tag;
    Task* poster = nullptr;
    Posted fate = Posted::under_way;
    TransferId transfer = 0;  // 0: arrived, or lost though nobody knows yet
    std::optional<Inbox::Place> place = std::nullopt;  // once arrived
  };

  struct Node {
    explicit Node(Scheduler& scheduler) : inbox(scheduler) {}

    bool on = true;
    std::optional<Goodbye> goodbye;
    std::map<QueueKey, Order> orders;  // of what is sent to it
    Inbox inbox;
  };

  Node& node(PeerId peer);
  [[nodiscard]] const Node& node(PeerId peer) const;
  TransferId dispatch(PeerId to, const QueueKey& queue, Letter letter);
  void launch(TransferId id);
  void landed(FlightId flight);
  void arrive(TransferId id);
  void drop(TransferId id);
  template <class Condition>
  void drop_all(Condition concerned);
  void settle(PeerId to, const QueueKey& queue, std::uint64_t number, TransferId id);
  void deliver(Transfer& transfer);
  void decide(std::uint64_t ticket, Posted fate);
  void close(PeerId peer);
  void hold_or_launch_all();

  Kernel& kernel_;
  Scheduler& scheduler_;
  std::span<const PeerId> peers_;
  Links links_;
  std::size_t byte_scale_ = 1;
  std::deque<Node> nodes_;
  std::size_t present_ = 0;  // nodes without a goodbye
  std::map<TransferId, Transfer> transfers_;
  std::map<FlightId, TransferId> flights_;
  std::map<std::uint64_t, Loan> loans_;
  std::uint64_t next_id_ = 1;
};

}  // namespace starling::simulation
