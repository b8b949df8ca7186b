// THE SEAM: all an algorithm knows of the world. Implemented by transport/ and simulation/.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "starling/core/event.hpp"
#include "starling/core/function_ref.hpp"
#include "starling/core/random.hpp"
#include "starling/core/result.hpp"
#include "starling/peer/clock.hpp"
#include "starling/peer/directory.hpp"
#include "starling/peer/message.hpp"
#include "starling/peer/meter.hpp"
#include "starling/peer/pieces.hpp"
#include "starling/peer/wait_board.hpp"

namespace starling {

class Peer;

/// No membership of a group is later.
inline constexpr std::uint32_t kAnyMembership = 0xFFFFFFFFU;

/// A send of borrowed memory under way. The memory must stay unchanged until wait() has returned or
/// the handle is gone. A handle that goes without a wait gives the memory back at once; whether the
/// message is still delivered is open then, but if it is, then whole and as it was lent.
class [[nodiscard]] Pending {
 public:
  Pending() = default;
  Pending(Pending&& other) noexcept;
  Pending& operator=(Pending&& other) noexcept;
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending();

  /// Until the memory may be changed again: the receiver has read it, or the channel holds a copy,
  /// within the bounds of a queue (QueueRoom). Success does not tell which, so not that the message
  /// was read: from now on it is like one that was sent. On failure it was taken back and is not
  /// delivered.
  Result<void> wait(Deadline deadline);

 private:
  friend class Peer;

  Pending(Peer& owner, std::uint64_t ticket) : owner_(&owner), ticket_(ticket) {}

  Peer* owner_ = nullptr;
  std::uint64_t ticket_ = 0;
};

/// One of several things that a peer may wait for at once.
struct Hope {
  PeerId other;  ///< a message of `tag` from here,
  Tag tag;
  const Pending* send = nullptr;  ///< or, if set, that this send to there is over
};

/// One more activity of a peer: a thread, or an actor in simulation. Stops and joins when
/// destroyed.
class Activity {
 public:
  Activity() = default;
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;
  virtual ~Activity() = default;

  virtual void request_stop() noexcept = 0;

  /// Waits for its end and rethrows what it ended with.
  virtual Result<void> join(Deadline deadline) = 0;
};

/// One participant: identity, clock, chance, channel, directory, activities, events. Blocking
/// calls, every one with a Deadline. Used by one activity at a time; spawn() gives the new activity
/// a Peer of its own.
class Peer {
 public:
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  virtual ~Peer() = default;

  [[nodiscard]] PeerId id() const noexcept { return id_; }

  /// The seed of the run, the same at every peer.
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }

  /// All peers, in rank order, this one included (static worlds); those known now (swarms).
  [[nodiscard]] virtual std::span<const PeerId> peers() const = 0;

  [[nodiscard]] virtual Clock& clock() = 0;

  /// Hands `payload` over. Returns once the channel has taken it: at once while the queue to `to`
  /// has room, else when there is room again. Delivery is FIFO per (source, destination, tag).
  Result<void> send(PeerId to, Tag tag, const Stamp& stamp, Buffer payload, Deadline deadline);

  /// Lends `payload` to the channel without copying it; see Pending.
  Pending post(PeerId to, Tag tag, const Stamp& stamp, std::span<const std::byte> payload);

  /// The next message of `tag` from `from` (or, first come first served, from anyone). One of a
  /// membership after `latest` stays where it is: the failure is outdated.
  Result<Message> receive(Source from,
                          Tag tag,
                          Deadline deadline,
                          std::uint32_t latest = kAnyMembership);

  /// The next message of `tag` from `from`, which must be as `expected`; its payload goes to
  /// `sink`. Refused, with nothing given to the sink, if it is not as expected; outdated, if it is
  /// of a later membership.
  Result<Stamp> receive_pieces(
      PeerId from, Tag tag, const Expected& expected, PieceSink sink, Deadline deadline);

  /// The same if a message is at hand; else nothing, without waiting for one.
  Result<std::optional<Stamp>> try_receive_pieces(
      PeerId from, Tag tag, const Expected& expected, PieceSink sink, Deadline deadline);

  /// Waits until one of `hopes` has come true and says which, the first if several have. Fails if
  /// one of them cannot come true any more. A message that is at hand may be of an earlier
  /// membership. @pre hopes is not empty
  Result<std::size_t> await_any(std::span<const Hope> hopes, Deadline deadline);

  /// out <- payload. @pre expected.bytes == out.size_bytes()
  Result<Stamp> receive_into(
      PeerId from, Tag tag, const Expected& expected, std::span<float> out, Deadline deadline);

  /// sum <- sum + payload, straight from the transport's memory. @pre expected.bytes ==
  /// sum.size_bytes()
  Result<Stamp> receive_add(
      PeerId from, Tag tag, const Expected& expected, std::span<float> sum, Deadline deadline);

  /// Runs `work`, whose cost on a machine of speed 1 is `cost`. Real worlds just run it; in
  /// simulation the peer's clock advances by cost / speed of its host.
  void compute(Duration cost, FunctionRef<void()> work);

  /// The stream of this peer with this name; same seed, peer and name, same numbers.
  Random& random(std::string_view stream);

  /// The streams drawn from so far, for checkpoints.
  [[nodiscard]] std::map<std::string, Random::State> random_states() const;
  void restore_random(const std::map<std::string, Random::State>& states);

  /// Starts one more activity of this peer. The only concurrency algorithm code may use.
  virtual std::unique_ptr<Activity> spawn(std::string name,
                                          std::function<void(Peer&, std::stop_token)> work) = 0;

  [[nodiscard]] virtual Directory& directory() = 0;

  void emit(decltype(Event::what) what);

  /// For words said on the way out: a broken observer must not hide the error that is being
  /// reported.
  void emit_if_possible(decltype(Event::what) what) noexcept;

  /// Whom `other` waits for in the end: the last of the chain of waits that starts at it, itself if
  /// it waits for nobody, if the chain is a circle or if this world keeps no board. A hint about
  /// whom to name, as of this moment.
  [[nodiscard]] PeerId end_of_waits(PeerId other) const noexcept;

  /// What this peer has spent so far, its finished activities included.
  [[nodiscard]] const Meter& meter() const noexcept { return meter_; }

 protected:
  /// Of a send that is under way: what do_post() returned. Nothing if it was waited for.
  static std::optional<std::uint64_t> ticket_of(const Pending& send);

  /// What a world tells its peers.
  struct Surroundings {
    std::uint64_t seed = 0;
    Observer* observer = nullptr;  ///< outlives the run; may be null
    WaitBoard* waits = nullptr;    ///< outlives the run; null where nobody keeps one
    Duration slow_warning = std::chrono::seconds(5);  ///< first warning about a wait; doubles after
  };

  Peer(PeerId id, const Surroundings& surroundings);

  void add_to_meter(const Meter& meter) { meter_ += meter; }

  /// Whether a message with this stamp and so many bytes of payload is to be read.
  using Judge = FunctionRef<bool(const Stamp& stamp, std::size_t bytes)>;

 private:
  friend class Pending;

  // What a transport does; the public calls above count, warn and check around them.
  virtual Result<void> do_send(
      PeerId to, Tag tag, const Stamp& stamp, Buffer payload, Deadline deadline) = 0;
  virtual std::uint64_t do_post(PeerId to,
                                Tag tag,
                                const Stamp& stamp,
                                std::span<const std::byte> payload) = 0;
  virtual Result<void> do_wait_posted(std::uint64_t ticket, Deadline deadline) = 0;
  virtual void do_withdraw(std::uint64_t ticket) noexcept = 0;

  /// Until the next message of (from, tag) is at hand, without taking it.
  virtual Result<void> do_await(Source from, Tag tag, Deadline deadline) = 0;

  /// Until one of `hopes` has come true; its index.
  virtual Result<std::size_t> do_await_any(std::span<const Hope> hopes, Deadline deadline) = 0;

  /// The stamp of the next message of (from, tag), if one is at hand.
  virtual std::optional<Stamp> do_peek(Source from, Tag tag) = 0;

  /// The next message of (from, tag), if one is at hand.
  virtual std::optional<Message> do_take(Source from, Tag tag) = 0;

  /// Takes it, too; if `fits` says so of its stamp and size, its payload goes to `sink`.
  /// `deadline` is for what of the payload is still on its way. Does nothing if none is at hand.
  virtual Result<void> do_take_pieces(
      PeerId from, Tag tag, Judge fits, PieceSink sink, Deadline deadline) = 0;
  virtual void do_compute(Duration cost, FunctionRef<void()> work) = 0;

  template <class Await>
  auto await_with_warnings(Source from, Await await, Deadline deadline, Duration& waited)
      -> decltype(await(deadline));

  /// The next message, if it was taken (fits), and its stamp; stale: there was none to take, or one
  /// that was dropped.
  struct Taken {
    Fit fit = Fit::stale;
    Stamp stamp{};
  };

  Result<Taken> take_pieces(
      PeerId from, Tag tag, const Expected& expected, PieceSink sink, Deadline deadline);
  Result<void> wait_posted(std::uint64_t ticket, Deadline deadline);
  void count_received(std::size_t bytes);

  PeerId id_;
  std::uint64_t seed_;
  Observer* observer_;
  WaitBoard* waits_;
  Duration slow_warning_;
  std::map<std::string, Random, std::less<>> streams_;
  Meter meter_;
};

}  // namespace starling
