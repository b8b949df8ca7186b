#include "starling/simulation/sim_peer.hpp"

#include <algorithm>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/simulation/sim_activity.hpp"

namespace starling::simulation {

namespace {

// As large as the threads' pieces, so that sinks see the same ones.
constexpr std::size_t kPieceBytes = std::size_t{64} * 1024;

/// A place among the waiters at a peer.
class Registration {
 public:
  Registration(PostOffice& office, PeerId at, const Waiter& waiter)
      : office_(office), at_(at), waiter_(waiter) {
    office_.add(at_, waiter_);
  }

  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  ~Registration() { office_.remove(at_, waiter_); }

 private:
  PostOffice& office_;
  PeerId at_;
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

constexpr auto kNever = [] { return false; };

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

SimPeer::Wait SimPeer::wait(Deadline deadline,
                            FunctionRef<bool()> ready,
                            FunctionRef<bool()> hopeless) {
  for (;;) {
    const bool over = hopeless();
    if (ready()) {
      return Wait::ready;
    }
    if (over) {
      return Wait::hopeless;
    }
    if (stop_.stop_requested()) {
      return Wait::cancelled;
    }
    if (run_.now() >= deadline.at) {
      return Wait::deadline;
    }
    scheduler().await(task_, deadline.at);
    if (task_.stalled()) {
      return Wait::stalled;
    }
  }
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

Failure SimPeer::gave_up(Wait how, PeerId other, const std::string& awaited, Time start) const {
  Failure failure;
  failure.kind = how == Wait::cancelled ? FailureKind::cancelled : FailureKind::deadline;
  failure.peer = other;
  failure.culprit = other;
  failure.what = awaited;
  if (how == Wait::cancelled) {
    failure.what = "told to stop, " + awaited;
  }
  if (how == Wait::stalled) {
    failure.what += ", and none can come: nothing can run, every peer waits";
  }
  failure.waited = run_.now() - start;
  return failure;
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
  const Wait how = owner_.stop_.stop_requested() ? Wait::cancelled : Wait::deadline;
  return owner_.gave_up(how, owner_.id(), "the directory did not answer", start);
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
  PostOffice::Sent sent = office.send(id(), to, tag, stamp, payload);
  const Time start = run_.now();
  if (sent == PostOffice::Sent::full) {
    const Registration place(office, to, {Waiter::For::room, id(), tag, &task_});
    const auto taken = [&] {
      sent = office.send(id(), to, tag, stamp, payload);
      return sent != PostOffice::Sent::full;
    };
    const Wait ended = wait(deadline, taken, kNever);
    if (ended != Wait::ready) {
      return gave_up(ended, to, "no room to send " + to_string(tag) + ": it does not read", start);
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
  return run_.post_office().post(id(), to, tag, stamp, Buffer::copy_of(payload), task_);
}

Result<void> SimPeer::do_wait_posted(std::uint64_t ticket, Deadline deadline) {
  PostOffice& office = run_.post_office();
  const Time start = run_.now();
  const auto over = [&] { return office.fate(ticket) != Posted::under_way; };
  const Wait ended = wait(deadline, over, kNever);
  const PeerId to = office.reader(ticket);
  if (ended != Wait::ready) {
    return gave_up(ended, to, "the message has not arrived", start);
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
  if (office.holds(id(), from, tag)) {
    return {};
  }
  const Time start = run_.now();
  const Registration place(office, id(), {Waiter::For::letter, from, tag, &task_});
  std::optional<PeerId> gone;
  const auto ready = [&] { return office.holds(id(), from, tag); };
  const auto hopeless = [&] {
    gone = office.gone(id(), from, tag);
    return gone.has_value();
  };
  const Wait ended = wait(deadline, ready, hopeless);
  if (ended == Wait::ready) {
    return {};
  }
  spin();
  if (ended == Wait::hopeless) {
    return left(*gone, run_.now() - start);
  }
  const std::string who = from ? "" : " from anyone";
  return gave_up(ended, from.value_or(id()), "no message of " + to_string(tag) + who, start);
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
  while (run_.now() < finish) {
    scheduler().doze(task_, finish);
  }
}

Failure SimPeer::left(PeerId gone, Duration waited) const {
  if (gone != id() && run_.post_office().is_gone(gone)) {
    return failure_from(gone, run_.post_office().goodbye(gone), waited);
  }
  Failure failure;
  failure.peer = gone;
  failure.culprit = gone;
  failure.waited = waited;
  failure.what = gone == id() ? "there is no other peer to wait for"
                              : "its host went off before the message arrived, and came back";
  return failure;
}

}  // namespace starling::simulation
