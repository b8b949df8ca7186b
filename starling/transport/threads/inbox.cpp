#include "starling/transport/threads/inbox.hpp"

#include <algorithm>
#include <utility>

namespace starling::threads {

namespace {

void unpark(Parker* parker) {
  if (parker != nullptr) {
    parker->unpark();
  }
}

/// Ends `loan`. The lender may reuse it at once, so its parker is looked up before.
void end(Loan& loan, Loan::State state) noexcept {
  Parker* lender = loan.lender;
  loan.state.store(state, std::memory_order_release);
  lender->unpark();
}

}  // namespace

Reading::Reading(Reading&& other) noexcept : letter_(std::move(other.letter_)) {
  other.letter_.loan = nullptr;
}

Reading::~Reading() {
  if (letter_.loan != nullptr) {
    end(*letter_.loan, Loan::State::read);
  }
}

Buffer Reading::take_payload() {
  return letter_.loan != nullptr ? Buffer::copy_of(letter_.lent) : std::move(letter_.payload);
}

Inbox::Put Inbox::put(Tag tag, Letter& letter) {
  std::unique_lock lock(mutex_);
  if (closed_) {
    return Put::closed;
  }
  Queue& queue = queues_[{tag, letter.from}];
  if (!queue.room.enter(letter.payload.size())) {
    return Put::full;
  }
  const PeerId from = letter.from;
  append(queue, std::move(letter));
  Parker* reader = wake_but_one(News::letter, from, tag);
  lock.unlock();
  unpark(reader);
  return Put::stored;
}

void Inbox::lend(Loan& loan, const Stamp& stamp, std::span<const std::byte> payload) {
  std::unique_lock lock(mutex_);
  if (closed_) {
    loan.state.store(Loan::State::lost, std::memory_order_release);
    return;
  }
  loan.state.store(Loan::State::queued, std::memory_order_relaxed);
  append(queues_[{loan.tag, loan.from}], {loan.from, stamp, {}, payload, &loan});
  Parker* reader = wake_but_one(News::letter, loan.from, loan.tag);
  lock.unlock();
  unpark(reader);
}

bool Inbox::take_back(Loan& loan) noexcept {
  const std::lock_guard lock(mutex_);
  if (loan.state.load(std::memory_order_relaxed) != Loan::State::queued) {
    return false;
  }
  std::list<Letter>& letters = queues_[{loan.tag, loan.from}].letters;
  const auto found = std::find_if(
      letters.begin(), letters.end(), [&](const Letter& letter) { return letter.loan == &loan; });
  found->loan = nullptr;
  spare_.splice(spare_.end(), letters, found);
  loan.state.store(Loan::State::withdrawn, std::memory_order_relaxed);
  return true;
}

bool Inbox::holds(Source from, Tag tag) {
  const std::lock_guard lock(mutex_);
  return first_come(from, tag) != queues_.end();
}

std::optional<Stamp> Inbox::peek(Source from, Tag tag) {
  const std::lock_guard lock(mutex_);
  const auto found = first_come(from, tag);
  return found == queues_.end() ? std::nullopt : std::optional(found->second.letters.front().stamp);
}

std::optional<Reading> Inbox::take(Source from, Tag tag) {
  std::unique_lock lock(mutex_);
  const auto found = first_come(from, tag);
  if (found == queues_.end()) {
    return std::nullopt;
  }
  Queue& queue = found->second;
  Reading reading(std::move(queue.letters.front()));
  spare_.splice(spare_.end(), queue.letters, queue.letters.begin());
  if (reading->loan != nullptr) {
    reading->loan->state.store(Loan::State::reading, std::memory_order_relaxed);
    return reading;
  }
  queue.room.leave(reading->payload.size());
  Parker* sender = wake_but_one(News::room, reading->from, tag);
  lock.unlock();
  unpark(sender);
  return reading;
}

void Inbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (auto& [key, queue] : queues_) {
    for (Letter& letter : queue.letters) {
      if (letter.loan != nullptr) {
        end(*letter.loan, Loan::State::lost);
      }
    }
    queue.letters.clear();
  }
  for (const Waiter<Parker>* waiter : waiters_) {
    waiter->sleeper->unpark();
  }
}

void Inbox::wake_all() {
  const std::lock_guard lock(mutex_);
  for (const Waiter<Parker>* waiter : waiters_) {
    waiter->sleeper->unpark();
  }
}

void Inbox::add(const Waiter<Parker>& waiter) {
  const std::lock_guard lock(mutex_);
  waiters_.add(waiter);
}

void Inbox::remove(const Waiter<Parker>& waiter) noexcept {
  const std::lock_guard lock(mutex_);
  waiters_.remove(waiter);
}

void Inbox::append(Queue& queue, Letter&& letter) {
  if (spare_.empty()) {
    spare_.emplace_back();
  }
  spare_.front() = std::move(letter);
  spare_.front().arrival = arrivals_++;
  queue.letters.splice(queue.letters.end(), spare_, spare_.begin());
}

Inbox::Queues::iterator Inbox::first_come(Source from, Tag tag) {
  if (from) {
    const auto found = queues_.find({tag, *from});
    return found == queues_.end() || found->second.letters.empty() ? queues_.end() : found;
  }
  auto first = queues_.end();
  for (auto each = queues_.lower_bound({tag, PeerId{}});
       each != queues_.end() && each->first.tag == tag;
       ++each) {
    const auto& letters = each->second.letters;
    if (letters.empty()) {
      continue;
    }
    if (first == queues_.end() || letters.front().arrival < first->second.letters.front().arrival) {
      first = each;
    }
  }
  return first;
}

/// Wakes the waiters for this queue, but leaves one of them to the caller, to be woken after the
/// lock: else it would wake only to wait for the lock.
Parker* Inbox::wake_but_one(News news, PeerId from, Tag tag) {
  Parker* last = nullptr;
  for (const Waiter<Parker>* waiter : waiters_) {
    if (!waiter->is_concerned(news, from, tag)) {
      continue;
    }
    unpark(last);
    last = waiter->sleeper;
  }
  return last;
}

}  // namespace starling::threads
