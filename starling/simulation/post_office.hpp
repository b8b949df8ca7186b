// The channel between peers: transfers under way, what has arrived, who has left, which links are
// down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "starling/core/random.hpp"
#include "starling/peer/goodbye.hpp"
#include "starling/peer/message.hpp"
#include "starling/peer/peer.hpp"
#include "starling/simulation/faults.hpp"
#include "starling/simulation/scheduler.hpp"

namespace starling::simulation {

/// A task that wants to know when a letter comes, or when there is room to send again.
struct Waiter {
  enum class For : std::uint8_t { letter, room };

  For what = For::letter;
  Source from;
  Tag tag;
  Task* task = nullptr;
};

/// What became of a posted message.
enum class Posted : std::uint8_t { under_way, arrived, lost };

class PostOffice {
 public:
  /// Bounds of the queue of one source and tag, from send() until it is read: those of the threads,
  /// so that what runs in one world does not block in the other. A message of any size enters an
  /// empty queue. Posted messages are not counted: they wait in the sender's own handles.
  static constexpr std::size_t kMessagesMax = 64;
  static constexpr std::size_t kBytesMax = std::size_t{64} << 20U;

  PostOffice(Kernel& kernel,
             Scheduler& scheduler,
             std::size_t peers,
             const FaultPlan& faults,
             std::uint64_t seed);

  enum class Sent : std::uint8_t { taken, full, closed };

  /// Moves `payload` in; leaves it alone unless taken.
  Sent send(PeerId from, PeerId to, Tag tag, const Stamp& stamp, Buffer& payload);

  /// A message whose fate is asked for by ticket; `poster` is notified of it.
  std::uint64_t post(
      PeerId from, PeerId to, Tag tag, const Stamp& stamp, Buffer payload, Task& poster);
  [[nodiscard]] Posted fate(std::uint64_t ticket) const;
  [[nodiscard]] PeerId reader(std::uint64_t ticket) const;

  /// Forgets the ticket of a message that may stay.
  void forget(std::uint64_t ticket);

  /// Takes the message back unless it has been read.
  void withdraw(std::uint64_t ticket);

  [[nodiscard]] bool holds(PeerId owner, Source from, Tag tag) const;

  /// The message of (from, tag) that arrived first.
  std::optional<Message> take(PeerId owner, Source from, Tag tag);

  void add(PeerId at, const Waiter& waiter);
  void remove(PeerId at, const Waiter& waiter) noexcept;

  /// Who makes a wait of `owner` for (from, tag) hopeless: `from` if it is gone and nothing of it
  /// is under way; for anyone, the first that failed (or finished) once all others are gone.
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
  using QueueKey = std::pair<Tag, PeerId>;               // of one reader: tag and source
  using LetterKey = std::pair<QueueKey, std::uint64_t>;  // and arrival
  using ArrivalKey = std::pair<Tag, std::uint64_t>;

  struct Letter {
    Stamp stamp;
    Buffer payload;
    std::uint64_t ticket = 0;  // 0: sent, not posted
  };

  struct Transfer {
    PeerId from;
    PeerId to;
    Tag tag;
    std::uint64_t number = 0;  // place in its queue
    FlightId flight = 0;       // 0: a link is down, or it has landed
    bool landed = false;
    Duration delay{};
    Letter letter;
  };

  struct Queue {
    std::uint64_t sent = 0;
    std::uint64_t settled = 0;                  // of those: arrived in order, or lost
    std::map<std::uint64_t, TransferId> early;  // arrived (0: lost) before an earlier one
    std::size_t owned = 0;                      // messages that count against the bounds
    std::size_t owned_bytes = 0;
  };

  struct Loan {
    PeerId to;
    Task* poster = nullptr;
    Posted fate = Posted::under_way;
    TransferId transfer = 0;  // 0: lost, though nobody knows yet
    LetterKey letter;
  };

  struct Node {
    bool on = true;
    std::size_t links_down = 0;
    std::optional<Goodbye> goodbye;
    std::map<QueueKey, Queue> queues;
    std::map<LetterKey, Letter> letters;
    std::map<ArrivalKey, PeerId> arrivals;
    std::vector<const Waiter*> waiters;
    std::optional<Random> delays;  // of what it sends
  };

  Node& node(PeerId peer);
  [[nodiscard]] const Node& node(PeerId peer) const;
  TransferId dispatch(PeerId from, PeerId to, Tag tag, Letter letter);
  void launch(TransferId id);
  [[nodiscard]] bool cut(PeerId from, PeerId to) const;
  [[nodiscard]] Duration draw_delay(PeerId from, PeerId to);
  void landed(FlightId flight);
  void arrive(TransferId id);
  void drop(TransferId id);
  void settle(PeerId to, const QueueKey& key, std::uint64_t number, TransferId id);
  void deliver(Transfer& transfer);
  void remove_letter(PeerId owner, std::map<LetterKey, Letter>::iterator letter);
  void release(PeerId owner, const QueueKey& key, std::size_t bytes);
  void decide(std::uint64_t ticket, Posted fate);
  void tell(PeerId at, Waiter::For what, PeerId from, Tag tag);
  void close(PeerId peer);
  void change_link(const Fault& fault, bool down);
  void hold_or_launch_all();

  Kernel& kernel_;
  Scheduler& scheduler_;
  std::vector<Fault> delays_;
  std::uint64_t seed_;
  std::vector<Node> nodes_;
  std::size_t present_ = 0;  // nodes without a goodbye
  std::map<TransferId, Transfer> transfers_;
  std::map<FlightId, TransferId> flights_;
  std::map<std::uint64_t, Loan> loans_;
  std::map<std::pair<PeerId, PeerId>, std::size_t> pairs_down_;
  std::uint64_t next_id_ = 1;
};

}  // namespace starling::simulation
