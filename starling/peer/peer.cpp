#include "starling/peer/peer.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/core/span_math.hpp"

namespace starling {

namespace {

std::span<const float> as_floats(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

Failure misfit(PeerId from, Tag tag, const std::string& mismatch) {
  Failure failure;
  failure.kind = FailureKind::refused;
  failure.peer = from;
  failure.culprit = from;
  failure.what = to_string(tag) + ": " + mismatch;
  return failure;
}

Failure moved_on(PeerId from, const Stamp& found, std::uint32_t membership) {
  Failure failure;
  failure.kind = FailureKind::refused;
  failure.peer = from;
  failure.culprit = from;
  failure.what = "it has moved on to membership " + std::to_string(found.group) +
                 ", this group is " + std::to_string(membership);
  failure.outdated = true;
  return failure;
}

}  // namespace

Pending::Pending(Pending&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)), ticket_(other.ticket_) {}

Pending& Pending::operator=(Pending&& other) noexcept {
  if (this != &other) {
    if (owner_ != nullptr) {
      owner_->do_withdraw(ticket_);
    }
    owner_ = std::exchange(other.owner_, nullptr);
    ticket_ = other.ticket_;
  }
  return *this;
}

Pending::~Pending() {
  if (owner_ != nullptr) {
    owner_->do_withdraw(ticket_);
  }
}

Result<void> Pending::wait(Deadline deadline) {
  if (owner_ == nullptr) {
    return {};
  }
  Peer& owner = *std::exchange(owner_, nullptr);
  Result<void> sent = owner.wait_posted(ticket_, deadline);
  if (!sent) {
    owner.do_withdraw(ticket_);
  }
  return sent;
}

Peer::Peer(PeerId id, const Surroundings& surroundings)
    : id_(id),
      seed_(surroundings.seed),
      observer_(surroundings.observer),
      waits_(surroundings.waits),
      slow_warning_(surroundings.slow_warning) {}

Result<void> Peer::send(PeerId to, Tag tag, const Stamp& stamp, Buffer payload, Deadline deadline) {
  ensure(to != id_, "a peer does not send to itself", to.value);
  const std::size_t bytes = payload.size();
  const Time start = clock().now();
  Result<void> sent = do_send(to, tag, stamp, std::move(payload), deadline);
  meter_.waiting += clock().now() - start;
  if (sent) {
    meter_.messages_sent += 1;
    meter_.payload_bytes_sent += bytes;
  }
  return sent;
}

Pending Peer::post(PeerId to, Tag tag, const Stamp& stamp, std::span<const std::byte> payload) {
  ensure(to != id_, "a peer does not send to itself", to.value);
  meter_.messages_sent += 1;
  meter_.payload_bytes_sent += payload.size();
  return {*this, do_post(to, tag, stamp, payload)};
}

Result<void> Peer::wait_posted(std::uint64_t ticket, Deadline deadline) {
  const Time start = clock().now();
  Result<void> done = do_wait_posted(ticket, deadline);
  meter_.waiting += clock().now() - start;
  return done;
}

std::optional<std::uint64_t> Peer::ticket_of(const Pending& send) {
  return send.owner_ == nullptr ? std::nullopt : std::optional(send.ticket_);
}

/// Adds to `waited`, which counts for a failure: all of it, not only since the last warning or the
/// last message that was dropped.
template <class Await>
auto Peer::await_with_warnings(Source from, Await await, Deadline deadline, Duration& waited)
    -> decltype(await(deadline)) {
  const Time start = clock().now();
  if (waits_ != nullptr && from) {
    waits_->enter(id_, *from, start);
  }
  Duration patience = slow_warning_;
  auto ready = await(std::min(deadline, Deadline{start + patience}));
  // A world that knows better gives up before the time: then nothing is slow, nothing will come.
  while (!ready && ready.error().kind == FailureKind::deadline &&
         clock().now() >= start + patience && Deadline{start + patience} < deadline) {
    if (from) {
      emit(SlowPeer{end_of_waits(*from), clock().now() - start});
    }
    patience *= 2;
    ready = await(std::min(deadline, Deadline{start + patience}));
  }
  if (waits_ != nullptr && from) {
    waits_->leave(id_);
  }
  const Duration just_now = clock().now() - start;
  meter_.waiting += just_now;
  waited += just_now;
  if (ready) {
    return ready;
  }
  Failure failure = ready.error();
  failure.waited = waited;
  return failure;
}

void Peer::count_received(std::size_t bytes) {
  meter_.messages_received += 1;
  meter_.payload_bytes_received += bytes;
}

Result<Message> Peer::receive(Source from, Tag tag, Deadline deadline, std::uint32_t latest) {
  const auto await = [&](Deadline until) { return do_await(from, tag, until); };
  Duration waited{};
  for (;;) {  // again if another activity of this peer was faster
    if (auto ready = await_with_warnings(from, await, deadline, waited); !ready) {
      return ready.error();
    }
    const auto next = do_peek(from, tag);
    if (next && next->group > latest) {
      return moved_on(from.value_or(id_), *next, latest);
    }
    if (auto message = do_take(from, tag)) {
      count_received(message->payload.size());
      return std::move(*message);
    }
  }
}

Result<Peer::Taken> Peer::take_pieces(
    PeerId from, Tag tag, const Expected& expected, PieceSink sink, Deadline deadline) {
  const auto next = do_peek(from, tag);
  if (next && next->group > expected.stamp.group) {
    return moved_on(from, *next, expected.stamp.group);
  }
  Taken taken;
  std::size_t bytes = 0;
  const auto fits = [&](const Stamp& found, std::size_t found_bytes) {
    bytes = found_bytes;
    taken = {compare(expected, found, found_bytes), found};
    return taken.fit == Fit::fits;
  };
  if (auto read = do_take_pieces(from, tag, fits, sink, deadline); !read) {
    return read.error();
  }
  if (taken.fit == Fit::misfit || taken.fit == Fit::later) {
    return misfit(from, tag, mismatch_text(expected, taken.stamp, bytes));
  }
  if (taken.fit == Fit::fits) {
    count_received(bytes);
  }
  return taken;
}

Result<Stamp> Peer::receive_pieces(
    PeerId from, Tag tag, const Expected& expected, PieceSink sink, Deadline deadline) {
  const auto await = [&](Deadline until) { return do_await(from, tag, until); };
  Duration waited{};
  for (;;) {  // again if the message was stale, or another activity of this peer was faster
    if (auto ready = await_with_warnings(from, await, deadline, waited); !ready) {
      return ready.error();
    }
    const Result<Taken> taken = take_pieces(from, tag, expected, sink, deadline);
    if (!taken) {
      return taken.error();
    }
    if (taken->fit == Fit::fits) {
      return taken->stamp;
    }
  }
}

Result<std::optional<Stamp>> Peer::try_receive_pieces(
    PeerId from, Tag tag, const Expected& expected, PieceSink sink, Deadline deadline) {
  for (;;) {
    const Result<void> here = do_await(from, tag, Deadline{clock().now()});
    if (!here && here.error().kind == FailureKind::deadline) {
      return std::optional<Stamp>{};
    }
    if (!here) {
      return here.error();
    }
    const Result<Taken> taken = take_pieces(from, tag, expected, sink, deadline);
    if (!taken) {
      return taken.error();
    }
    if (taken->fit == Fit::fits) {
      return std::optional(taken->stamp);
    }
  }
}

Result<std::size_t> Peer::await_any(std::span<const Hope> hopes, Deadline deadline) {
  ensure(!hopes.empty(), "whoever waits hopes for something", hopes.size());
  const auto await = [&](Deadline until) { return do_await_any(hopes, until); };
  Duration waited{};
  return await_with_warnings(hopes.front().other, await, deadline, waited);
}

Result<Stamp> Peer::receive_into(
    PeerId from, Tag tag, const Expected& expected, std::span<float> out, Deadline deadline) {
  ensure(expected.bytes == out.size_bytes(),
         "receive_into: sizes differ",
         expected.bytes,
         out.size_bytes());
  const auto store = [out](std::size_t offset, std::span<const std::byte> piece) {
    copy(as_floats(piece), out.subspan(offset / sizeof(float), piece.size() / sizeof(float)));
  };
  return receive_pieces(from, tag, expected, store, deadline);
}

Result<Stamp> Peer::receive_add(
    PeerId from, Tag tag, const Expected& expected, std::span<float> sum, Deadline deadline) {
  ensure(expected.bytes == sum.size_bytes(),
         "receive_add: sizes differ",
         expected.bytes,
         sum.size_bytes());
  const auto accumulate = [sum](std::size_t offset, std::span<const std::byte> piece) {
    add(as_floats(piece), sum.subspan(offset / sizeof(float), piece.size() / sizeof(float)));
  };
  return receive_pieces(from, tag, expected, accumulate, deadline);
}

void Peer::compute(Duration cost, FunctionRef<void()> work) {
  const Time start = clock().now();
  do_compute(cost, work);
  meter_.computing += clock().now() - start;
}

Random& Peer::random(std::string_view stream) {
  const auto found = streams_.find(stream);
  if (found != streams_.end()) {
    return found->second;
  }
  const Random fresh(stream_key(seed_, id_.value), stream_key(stream));
  return streams_.emplace(std::string(stream), fresh).first->second;
}

std::map<std::string, Random::State> Peer::random_states() const {
  std::map<std::string, Random::State> states;
  for (const auto& [name, stream] : streams_) {
    states.emplace(name, stream.state());
  }
  return states;
}

void Peer::restore_random(const std::map<std::string, Random::State>& states) {
  streams_.clear();
  for (const auto& [name, state] : states) {
    streams_.emplace(name, Random(state));
  }
}

PeerId Peer::end_of_waits(PeerId other) const noexcept {
  return waits_ != nullptr ? waits_->culprit(other) : other;
}

void Peer::emit(decltype(Event::what) what) {
  if (observer_ != nullptr) {
    observer_->on_event({id_, clock().now(), std::move(what)});
  }
}

void Peer::emit_if_possible(decltype(Event::what) what) noexcept {
  try {
    emit(std::move(what));
  } catch (...) {  // the observer's own trouble; nobody is left to be told
    return;
  }
}

}  // namespace starling
