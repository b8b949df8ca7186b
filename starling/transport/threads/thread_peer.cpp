#include "starling/transport/threads/thread_peer.hpp"

#include <utility>

#include "starling/transport/threads/thread_activity.hpp"

namespace starling::threads {

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

WaitEnd ThreadPeer::wait(Deadline deadline, const Awaited& awaited) {
  const auto park = [&] {
    parker_->park(board_.steady(deadline.at), board_.spin());
    return true;
  };
  return wait_for(awaited, deadline, clock_, stop_, park);
}

void ThreadPeer::RunningClock::sleep_for(Duration duration) {
  owner_.wait(in(duration), {kNever, kNever});
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
    const Registration place(inbox, Waiter<Parker>{News::room, id(), tag, parker_.get()});
    const auto taken = [&] {
      put = inbox.put(tag, letter);
      return put != Inbox::Put::full;
    };
    const WaitEnd ended = wait(deadline, {taken, kNever});
    if (ended != WaitEnd::ready) {
      return no_room(ended, to, tag, board_.now() - start);
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
  const WaitEnd ended = wait(deadline, {over, kNever});
  if (ended != WaitEnd::ready && board_.inbox(loan.to).take_back(loan)) {
    return not_taken(ended, loan.to, loan.tag, board_.now() - start);
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
  const Registration place(inbox, Waiter<Parker>{News::letter, from, tag, parker_.get()});
  std::optional<PeerId> gone;
  const auto ready = [&] { return inbox.holds(from, tag); };
  const auto hopeless = [&] {
    gone = board_.gone(id(), from);
    return gone.has_value();
  };
  const WaitEnd ended = wait(deadline, {ready, hopeless});
  if (ended == WaitEnd::ready) {
    return {};
  }
  if (ended == WaitEnd::hopeless) {
    return left(*gone, board_.now() - start);
  }
  return no_message(ended, id(), from, tag, board_.now() - start);
}

bool ThreadPeer::has_come(const Hope& hope) {
  if (hope.send == nullptr) {
    return board_.inbox(id()).holds(hope.other, hope.tag);
  }
  const auto ticket = ticket_of(*hope.send);
  return !ticket || loans_[*ticket].over();
}

Result<std::size_t> ThreadPeer::do_await_any(std::span<const Hope> hopes, Deadline deadline) {
  const auto come = [this](const Hope& hope) { return has_come(hope); };
  const auto gone = [this](const Hope& hope) { return board_.gone(id(), hope.other); };
  FirstOf first(hopes, come, gone);
  if (first.ready()) {
    return first.index();
  }
  const Time start = board_.now();
  const Registrations places(board_.inbox(id()), hopes, *parker_);
  const WaitEnd ended = first.wait([&](const Awaited& awaited) { return wait(deadline, awaited); });
  if (ended == WaitEnd::ready) {
    return first.index();
  }
  const Duration waited = board_.now() - start;
  return ended == WaitEnd::hopeless ? left(first.culprit(), waited)
                                    : unfulfilled(ended, id(), hopes, waited);
}

std::optional<Stamp> ThreadPeer::do_peek(Source from, Tag tag) {
  return board_.inbox(id()).peek(from, tag);
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
    feed(payload, sink);
  }
  return {};
}

void ThreadPeer::do_compute(Duration, FunctionRef<void()> work) {
  work();
}

Failure ThreadPeer::left(PeerId gone, Duration waited) const {
  return gone == id() ? nobody_else(gone, waited)
                      : failure_from(gone, board_.goodbye(gone), waited);
}

}  // namespace starling::threads
