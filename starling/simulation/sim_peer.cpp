#include "starling/simulation/sim_peer.hpp"

#include <string>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/simulation/sim_activity.hpp"

namespace starling::simulation {

namespace {

/// The clock itself holds 292 years; deadlines lie behind what is computed.
constexpr int kYears = 250;
constexpr Time kEndOfTime{std::chrono::hours(24) * 365 * kYears};

// A loop that asks again and again without waiting would hold up the virtual time of all: what it
// asks beyond this in one moment costs it time.
constexpr std::size_t kSpinsFree = 100;
constexpr Duration kSpinCost = std::chrono::milliseconds(1);

}  // namespace

SimPeer::SimPeer(SimRun& run, PeerId id, Task& task)
    : Peer(id,
           {run.options().seed, run.options().observer, &run.waits(), run.options().slow_warning}),
      run_(run),
      task_(task),
      clock_(*this),
      directory_(*this) {}

SimPeer::SimPeer(const SimPeer& parent, std::stop_token stop, Task& task)
    : Peer(parent.id(),
           {parent.run_.options().seed,
            parent.run_.options().observer,
            nullptr,
            parent.run_.options().slow_warning}),
      run_(parent.run_),
      task_(task),
      stop_(std::move(stop)),
      clock_(*this),
      directory_(*this) {}

std::unique_ptr<Activity> SimPeer::spawn(std::string name,
                                         std::function<void(Peer&, std::stop_token)> work) {
  return std::make_unique<SimActivity>(*this, std::move(name), std::move(work));
}

WaitEnd SimPeer::wait(Deadline deadline, const Awaited& awaited) {
  const auto sleep = [&] {
    scheduler().await(task_, deadline.at);
    return !task_.stalled();
  };
  return wait_for(awaited, deadline, clock_, stop_, sleep);
}

bool SimPeer::doze(Time until) {
  while (run_.now() < until && !stop_.stop_requested()) {
    scheduler().doze(task_, until);
  }
  return run_.now() >= until;
}

void SimPeer::VirtualClock::sleep_for(Duration duration) {
  if (duration <= Duration{}) {
    return owner_.spin();
  }
  owner_.doze(now() + duration);
}

/// Called for whatever ended without waiting and is likely to be tried again.
void SimPeer::spin() {
  spins_ = last_spin_ == run_.now() ? spins_ + 1 : 1;
  last_spin_ = run_.now();
  if (spins_ <= kSpinsFree) {
    return;
  }
  doze(run_.now() + kSpinCost);
  last_spin_ = run_.now();  // still the same loop, until something takes time by itself
}

/// One request and its answer, which may get lost.
Result<void> SimPeer::DistantDirectory::look(Deadline deadline) {
  const SimOptions& options = owner_.run_.options();
  if (!losses_) {
    losses_.emplace(stream_key(owner_.seed(), owner_.id().value),
                    stream_key("simulation.directory"));
  }
  const Time start = owner_.run_.now();
  const bool lost = losses_->bernoulli(options.directory_loss);
  const Time answer = start + options.directory_delay;
  const bool in_time = !lost && answer <= deadline.at;
  if (owner_.doze(in_time ? answer : deadline.at) && in_time) {
    return {};
  }
  const bool stopped = owner_.stop_.stop_requested();
  return gave_up(stopped ? WaitEnd::cancelled : WaitEnd::deadline,
                 owner_.id(),
                 "the directory did not answer",
                 owner_.run_.now() - start);
}

Result<bool> SimPeer::DistantDirectory::put(std::string_view key,
                                            Record record,
                                            Deadline deadline) {
  ensure(record.value.size() <= kRecordBytesMax,
         "a record is too large",
         record.value.size(),
         kRecordBytesMax);
  if (auto answered = look(deadline); !answered) {
    return answered.error();
  }
  return owner_.run_.records().put(key, std::move(record), owner_.run_.now());
}

Result<std::vector<Record>> SimPeer::DistantDirectory::get(std::string_view key,
                                                           Deadline deadline) {
  if (auto answered = look(deadline); !answered) {
    return answered.error();
  }
  return owner_.run_.records().get(key, owner_.run_.now());
}

Result<void> SimPeer::do_send(
    PeerId to, Tag tag, const Stamp& stamp, Buffer payload, Deadline deadline) {
  PostOffice& office = run_.post_office();
  const QueueKey queue{tag, id()};
  PostOffice::Sent sent = office.send(to, queue, stamp, payload);
  const Time start = run_.now();
  if (sent == PostOffice::Sent::full) {
    const Registration place(office.inbox(to), Waiter<Task>{News::room, id(), tag, &task_});
    const auto taken = [&] {
      sent = office.send(to, queue, stamp, payload);
      return sent != PostOffice::Sent::full;
    };
    const WaitEnd ended = wait(deadline, {taken, kNever});
    if (ended != WaitEnd::ready) {
      return no_room(ended, to, tag, run_.now() - start);
    }
  }
  if (sent == PostOffice::Sent::closed) {
    spin();
    return left(to, run_.now() - start);
  }
  return {};
}

std::uint64_t SimPeer::do_post(PeerId to,
                               Tag tag,
                               const Stamp& stamp,
                               std::span<const std::byte> payload) {
  return run_.post_office().post(to, {tag, id()}, stamp, Buffer::copy_of(payload), task_);
}

Result<void> SimPeer::do_wait_posted(std::uint64_t ticket, Deadline deadline) {
  PostOffice& office = run_.post_office();
  const Time start = run_.now();
  const auto over = [&] { return office.fate(ticket) != Posted::under_way; };
  const WaitEnd ended = wait(deadline, {over, kNever});
  const PeerId to = office.reader(ticket);
  if (ended != WaitEnd::ready) {
    return not_taken(ended, to, office.tag(ticket), run_.now() - start);
  }
  if (office.fate(ticket) == Posted::lost) {
    return left(to, run_.now() - start);
  }
  office.forget(ticket);
  return {};
}

void SimPeer::do_withdraw(std::uint64_t ticket) noexcept {
  run_.post_office().withdraw(ticket);
}

Result<void> SimPeer::do_await(Source from, Tag tag, Deadline deadline) {
  PostOffice& office = run_.post_office();
  Inbox& inbox = office.inbox(id());
  if (inbox.holds(from, tag)) {
    return {};
  }
  const Time start = run_.now();
  const Registration place(inbox, Waiter<Task>{News::letter, from, tag, &task_});
  std::optional<PeerId> gone;
  const auto ready = [&] { return inbox.holds(from, tag); };
  const auto hopeless = [&] {
    gone = office.gone(id(), from, tag);
    return gone.has_value();
  };
  const WaitEnd ended = wait(deadline, {ready, hopeless});
  if (ended == WaitEnd::ready) {
    return {};
  }
  spin();
  if (ended == WaitEnd::hopeless) {
    return left(*gone, run_.now() - start);
  }
  return no_message(ended, id(), from, tag, run_.now() - start);
}

bool SimPeer::has_come(const Hope& hope) {
  PostOffice& office = run_.post_office();
  if (hope.send == nullptr) {
    return office.inbox(id()).holds(hope.other, hope.tag);
  }
  const auto ticket = ticket_of(*hope.send);
  return !ticket || office.fate(*ticket) != Posted::under_way;
}

Result<std::size_t> SimPeer::do_await_any(std::span<const Hope> hopes, Deadline deadline) {
  PostOffice& office = run_.post_office();
  const auto come = [this](const Hope& hope) { return has_come(hope); };
  const auto gone = [&](const Hope& hope) { return office.gone(id(), hope.other, hope.tag); };
  FirstOf first(hopes, come, gone);
  if (first.ready()) {
    return first.index();
  }
  const Time start = run_.now();
  const Registrations places(office.inbox(id()), hopes, task_);
  const WaitEnd ended = first.wait([&](const Awaited& awaited) { return wait(deadline, awaited); });
  if (ended == WaitEnd::ready) {
    return first.index();
  }
  spin();
  const Duration waited = run_.now() - start;
  return ended == WaitEnd::hopeless ? left(first.culprit(), waited)
                                    : unfulfilled(ended, id(), hopes, waited);
}

std::optional<Stamp> SimPeer::do_peek(Source from, Tag tag) {
  return run_.post_office().inbox(id()).peek(from, tag);
}

std::optional<Message> SimPeer::do_take(Source from, Tag tag) {
  return run_.post_office().take(id(), from, tag);
}

/// Needs no deadline: a message arrives as a whole.
Result<void> SimPeer::do_take_pieces(PeerId from, Tag tag, Judge fits, PieceSink sink, Deadline) {
  const std::optional<Message> message = do_take(from, tag);
  if (!message) {
    return {};
  }
  const std::span<const std::byte> payload = message->payload.bytes();
  if (fits(message->stamp, payload.size())) {
    feed(payload, sink);
  }
  return {};
}

void SimPeer::do_compute(Duration cost, FunctionRef<void()> work) {
  ensure(cost >= Duration{}, "work does not cost less than nothing", seconds(cost));
  work();
  const Time finish = scheduler().finish(task_, cost);
  if (finish > kEndOfTime) {
    throw ConfigError("simulation: " + to_string(id()) + " would compute until after " +
                      std::to_string(kYears) +
                      " years of virtual time, which is as far as its clock can tell; make steps "
                      "shorter, fewer, or their host faster");
  }
  while (run_.now() < finish) {
    scheduler().doze(task_, finish);
  }
}

Failure SimPeer::left(PeerId gone, Duration waited) const {
  if (gone == id()) {
    return nobody_else(gone, waited);
  }
  if (run_.post_office().is_gone(gone)) {
    return failure_from(gone, run_.post_office().goodbye(gone), waited);
  }
  Failure failure;
  failure.peer = gone;
  failure.culprit = gone;
  failure.waited = waited;
  failure.what = "its host went off before the message arrived, and came back";
  return failure;
}

}  // namespace starling::simulation
