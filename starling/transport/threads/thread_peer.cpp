#include "starling/transport/threads/thread_peer.hpp"

#include <algorithm>
#include <utility>

#include "starling/transport/threads/thread_activity.hpp"

namespace starling::threads {

namespace {

// A sink that goes over a piece more than once finds it in the second-level cache.
constexpr std::size_t kPieceBytes = std::size_t{64} * 1024;

/// A place among the waiters of an inbox.
class Registration {
 public:
  Registration(Inbox& inbox, const Waiter& waiter) : inbox_(inbox), waiter_(waiter) {
    inbox_.add(waiter_);
  }

  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  ~Registration() { inbox_.remove(waiter_); }

 private:
  Inbox& inbox_;
  Waiter waiter_;
};

void feed(std::span<const std::byte> payload, PieceSink sink) {
  std::size_t offset = 0;
  do {
    const std::size_t size = std::min(kPieceBytes, payload.size() - offset);
    sink(offset, payload.subspan(offset, size));
    offset += size;
  } while (offset < payload.size());
}

bool holds_floats(std::span<const std::byte> payload) {
  return reinterpret_cast<std::uintptr_t>(payload.data()) % alignof(float) == 0;
}

}  // namespace

ThreadPeer::ThreadPeer(Switchboard& board, PeerId id)
    : Peer(id,
           {board.options().seed,
            board.options().observer,
            &board.waits(),
            board.options().slow_warning}),
      board_(board),
      parker_(board.parkers().lease()),
      on_stop_(stop_, Unpark{parker_.get()}),
      clock_(*this),
      directory_(board) {}

ThreadPeer::ThreadPeer(const ThreadPeer& parent, std::stop_token stop)
    : Peer(parent.id(),
           {parent.board_.options().seed,
            parent.board_.options().observer,
            nullptr,
            parent.board_.options().slow_warning}),
      board_(parent.board_),
      parker_(board_.parkers().lease()),
      stop_(std::move(stop)),
      on_stop_(stop_, Unpark{parker_.get()}),
      clock_(*this),
      directory_(board_) {}

std::unique_ptr<Activity> ThreadPeer::spawn(std::string name,
                                            std::function<void(Peer&, std::stop_token)> work) {
  return std::make_unique<ThreadActivity>(*this, std::move(name), std::move(work));
}

ThreadPeer::Wait ThreadPeer::wait(Deadline deadline,
                                  FunctionRef<bool()> ready,
                                  FunctionRef<bool()> hopeless) {
  for (;;) {
    const bool over = hopeless();  // asked first: what was sent before the end is at hand by now
    if (ready()) {
      return Wait::ready;
    }
    if (over) {
      return Wait::hopeless;
    }
    if (stop_.stop_requested()) {
      return Wait::cancelled;
    }
    if (board_.now() >= deadline.at) {
      return Wait::deadline;
    }
    parker_->park(board_.steady(deadline.at), board_.spin());
  }
}

Failure ThreadPeer::gave_up(Wait how, PeerId other, const std::string& awaited, Time start) const {
  Failure failure;
  failure.kind = how == Wait::cancelled ? FailureKind::cancelled : FailureKind::deadline;
  failure.peer = other;
  failure.culprit = other;
  failure.what = how == Wait::cancelled ? "told to stop, " + awaited : awaited;
  failure.waited = board_.now() - start;
  return failure;
}

void ThreadPeer::RunningClock::sleep_for(Duration duration) {
  const auto never = [] { return false; };
  owner_.wait(in(duration), never, never);
}

Result<bool> ThreadPeer::SharedDirectory::put(std::string_view key, Record record, Deadline) {
  return board_.records().put(key, std::move(record), board_.now());
}

Result<std::vector<Record>> ThreadPeer::SharedDirectory::get(std::string_view key, Deadline) {
  return board_.records().get(key, board_.now());
}

Result<void> ThreadPeer::do_send(
    PeerId to, Tag tag, const Stamp& stamp, Buffer payload, Deadline deadline) {
  Inbox& inbox = board_.inbox(to);
  Letter letter{id(), stamp, std::move(payload), {}, nullptr};
  Inbox::Put put = inbox.put(tag, letter);
  if (put == Inbox::Put::stored) {
    return {};
  }
  const Time start = board_.now();
  if (put == Inbox::Put::full) {
    const Registration place(inbox, {Waiter::For::room, id(), tag, parker_.get()});
    const auto taken = [&] {
      put = inbox.put(tag, letter);
      return put != Inbox::Put::full;
    };
    const Wait ended = wait(deadline, taken, [] { return false; });
    if (ended != Wait::ready) {
      return gave_up(ended, to, "no room to send " + to_string(tag) + ": it does not read", start);
    }
  }
  if (put == Inbox::Put::closed) {
    return left(to, board_.now() - start);
  }
  return {};
}

std::uint64_t ThreadPeer::do_post(PeerId to,
                                  Tag tag,
                                  const Stamp& stamp,
                                  std::span<const std::byte> payload) {
  Inbox& inbox = board_.inbox(to);
  if (free_tickets_.empty()) {
    free_tickets_.reserve(loans_.size() + 1);  // so that do_withdraw() never allocates
    free_tickets_.push_back(loans_.size());
    loans_.emplace_back();
  }
  const std::uint64_t ticket = free_tickets_.back();
  free_tickets_.pop_back();
  Loan& loan = loans_[ticket];
  loan.lender = parker_.get();
  loan.from = id();
  loan.to = to;
  loan.tag = tag;
  inbox.lend(loan, stamp, payload);
  return ticket;
}

Result<void> ThreadPeer::do_wait_posted(std::uint64_t ticket, Deadline deadline) {
  Loan& loan = loans_[ticket];
  const Time start = board_.now();
  const auto over = [&] { return loan.over(); };
  const Wait ended = wait(deadline, over, [] { return false; });
  if (ended != Wait::ready && board_.inbox(loan.to).take_back(loan)) {
    return gave_up(ended, loan.to, "it has not read " + to_string(loan.tag), start);
  }
  wait_until_over(loan);  // too late to take it back: the reader is at it
  if (loan.state.load(std::memory_order_acquire) == Loan::State::lost) {
    return left(loan.to, board_.now() - start);
  }
  free_tickets_.push_back(ticket);
  return {};
}

void ThreadPeer::do_withdraw(std::uint64_t ticket) noexcept {
  Loan& loan = loans_[ticket];
  if (!loan.over() && !board_.inbox(loan.to).take_back(loan)) {
    wait_until_over(loan);
  }
  free_tickets_.push_back(ticket);
}

/// No deadline: the reader is in the middle of a sink, which waits for nobody.
void ThreadPeer::wait_until_over(const Loan& loan) noexcept {
  while (!loan.over()) {
    parker_->park(board_.steady(Time::max()), board_.spin());
  }
}

Result<void> ThreadPeer::do_await(Source from, Tag tag, Deadline deadline) {
  Inbox& inbox = board_.inbox(id());
  if (inbox.holds(from, tag)) {
    return {};
  }
  const Time start = board_.now();
  const Registration place(inbox, {Waiter::For::letter, from, tag, parker_.get()});
  std::optional<PeerId> gone;
  const auto ready = [&] { return inbox.holds(from, tag); };
  const auto hopeless = [&] {
    gone = board_.gone(id(), from);
    return gone.has_value();
  };
  const Wait ended = wait(deadline, ready, hopeless);
  if (ended == Wait::ready) {
    return {};
  }
  if (ended == Wait::hopeless) {
    return left(*gone, board_.now() - start);
  }
  const std::string who = from ? "" : " from anyone";
  return gave_up(ended, from.value_or(id()), "no message of " + to_string(tag) + who, start);
}

std::optional<Message> ThreadPeer::do_take(Source from, Tag tag) {
  std::optional<Reading> letter = board_.inbox(id()).take(from, tag);
  if (!letter) {
    return std::nullopt;
  }
  const PeerId source = (*letter)->from;
  const Stamp stamp = (*letter)->stamp;
  return Message{source, stamp, letter->take_payload()};
}

/// Needs no deadline: a letter is there as a whole.
Result<void> ThreadPeer::do_take_pieces(
    PeerId from, Tag tag, Judge fits, PieceSink sink, Deadline) {
  const std::optional<Reading> letter = board_.inbox(id()).take(from, tag);
  if (!letter) {
    return {};
  }
  const std::span<const std::byte> payload = (*letter)->bytes();
  if (fits((*letter)->stamp, payload.size())) {
    if (holds_floats(payload)) {
      feed(payload, sink);
    } else {
      feed(Buffer::copy_of(payload).bytes(), sink);
    }
  }
  return {};
}

void ThreadPeer::do_compute(Duration, FunctionRef<void()> work) {
  work();
}

Failure ThreadPeer::left(PeerId gone, Duration waited) const {
  if (gone != id()) {
    return failure_from(gone, board_.goodbye(gone), waited);
  }
  Failure failure;
  failure.peer = gone;
  failure.culprit = gone;
  failure.what = "there is no other peer to wait for";
  return failure;
}

}  // namespace starling::threads
