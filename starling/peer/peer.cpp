#include "starling/peer/peer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "starling/core/span_math.hpp"

namespace starling {

namespace {

std::span<const float> as_floats(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
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

Result<void> Peer::await_with_warnings(Source from, Tag tag, Deadline deadline) {
  const Time start = clock().now();
  if (waits_ != nullptr && from) {
    waits_->enter(id_, *from, start);
  }
  Duration patience = slow_warning_;
  Result<void> ready = do_await(from, tag, std::min(deadline, Deadline{start + patience}));
  // A world that knows better gives up before the time: then nothing is slow, nothing will come.
  while (!ready && ready.error().kind == FailureKind::deadline &&
         clock().now() >= start + patience && Deadline{start + patience} < deadline) {
    if (from) {
      const PeerId culprit = waits_ != nullptr ? waits_->culprit(*from) : *from;
      emit(SlowPeer{culprit, clock().now() - start});
    }
    patience *= 2;
    ready = do_await(from, tag, std::min(deadline, Deadline{start + patience}));
  }
  if (waits_ != nullptr && from) {
    waits_->leave(id_);
  }
  const Duration waited = clock().now() - start;
  meter_.waiting += waited;
  if (ready) {
    return ready;
  }
  Failure failure = ready.error();
  failure.waited = waited;  // all of it, not only since the last warning
  return failure;
}

void Peer::count_received(std::size_t bytes) {
  meter_.messages_received += 1;
  meter_.payload_bytes_received += bytes;
}

Result<Message> Peer::receive(Source from, Tag tag, Deadline deadline) {
  if (auto ready = await_with_warnings(from, tag, deadline); !ready) {
    return ready.error();
  }
  Result<Message> message = do_receive(from, tag, deadline);
  if (message) {
    count_received(message->payload.size());
  }
  return message;
}

Result<Stamp> Peer::receive_pieces(
    PeerId from, Tag tag, const Expected& expected, PieceSink sink, Deadline deadline) {
  if (auto ready = await_with_warnings(from, tag, deadline); !ready) {
    return ready.error();
  }
  Result<Stamp> stamp = do_receive_pieces(from, tag, expected, sink, deadline);
  if (stamp) {
    count_received(expected.bytes);
  }
  return stamp;
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
