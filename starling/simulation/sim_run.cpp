#include "starling/simulation/sim_run.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "starling/core/error.hpp"
#include "starling/simulation/sim_peer.hpp"

namespace starling::simulation {

namespace {

std::string in_seconds(Time time) {
  std::ostringstream text;
  text << seconds(time) << " s";
  return text.str();
}

}  // namespace

SimRun::SimRun(const SimOptions& options,
               const SimPlan& plan,
               const std::function<void(Peer&)>& body,
               std::vector<std::uint32_t>& incarnations)
    : options_(options),
      body_(body),
      incarnations_(incarnations),
      peers_(peers_by_rank(options.peers)),
      waits_(options.peers),
      kernel_(plan.platform, {options.peers, options.seed, options.stack_bytes}),
      scheduler_(kernel_,
                 paces(plan),
                 options.stall_patience,
                 {[this] { report_stall(); }, [this](std::size_t host) { waits_.leave({host}); }}),
      post_office_(kernel_, scheduler_, peers_, plan.faults, options.seed),
      left_(options.peers, false),
      deaths_(options.peers),
      faults_(plan.faults),
      killed_(plan.faults.faults.size(), false),
      end_order_(options.peers) {
  report_.peers.resize(options.peers);
  incarnations_.assign(options.peers, 0);
  post_office_.set_byte_scale(options.byte_scale);
  schedule_kills(plan.faults);
  if (options.time_limit > Duration{}) {
    scheduler_.end_at(Time{} + options.time_limit);
  }
}

std::vector<Pace> SimRun::paces(const SimPlan& plan) const {
  std::vector<std::vector<Spell>> spells(peers_.size());
  for (const Fault& fault : plan.faults.faults) {
    if (fault.kind == Fault::Kind::slow) {
      spells[fault.peer->value].push_back({fault.from, fault.until, 1.0 / fault.factor});
    } else if (fault.kind == Fault::Kind::pause) {
      spells[fault.peer->value].push_back({fault.from, fault.until, 0.0});
    }
  }
  std::vector<Pace> paces;
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
    paces.emplace_back(kernel_.speed(rank) * plan.speeds[rank], spells[rank]);
  }
  return paces;
}

void SimRun::schedule_kills(const FaultPlan& plan) {
  for (std::size_t k = 0; k < plan.faults.size(); ++k) {
    const Fault& fault = plan.faults[k];
    if (fault.kind != Fault::Kind::kill) {
      continue;
    }
    const PeerId id = *fault.peer;
    scheduler_.at(fault.from, [this, id, k] { kill(id, k); });
    if (fault.until < Time::max()) {
      scheduler_.at(fault.until, [this, id, k] { bring_back(id, k); });
    }
  }
}

RunReport SimRun::run() {
  for (const PeerId id : peers_) {
    begin_life(id);
  }
  kernel_.run();
  for (const PeerOutcome& outcome : report_.peers) {
    report_.elapsed = std::max(report_.elapsed, outcome.ended.time_since_epoch());
  }
  report_.culprit = culprit();
  std::string faults = account(faults_, happened(), Time{report_.elapsed});
  if (!faults.empty()) {
    report_.notes.push_back(std::move(faults));
  }
  return std::move(report_);
}

/// By fault. A pause or a slow spell of a peer that has ended meets nobody.
std::vector<bool> SimRun::happened() const {
  std::vector<bool> happened = killed_;
  for (std::size_t k = 0; k < faults_.faults.size(); ++k) {
    const Fault& fault = faults_.faults[k];
    if (fault.kind != Fault::Kind::kill && fault.peer) {
      happened[k] = fault.from < report_.peers[fault.peer->value].ended;
    }
  }
  return happened;
}

/// In virtual time a failure and its consequence may fall into one moment: the order of the ends
/// tells.
std::optional<std::size_t> SimRun::culprit() const {
  std::vector<PeerOutcome> in_order = report_.peers;
  for (std::size_t rank = 0; rank < in_order.size(); ++rank) {
    in_order[rank].ended = end_order_[rank];
  }
  return culprit_of(in_order);
}

void SimRun::begin_life(PeerId id) {
  Task& task = tasks_.emplace_back();
  scheduler_.start(task, id.value, to_string(id), [this, id, &task] { live(id, task); });
}

void SimRun::live(PeerId id, Task& task) {
  PeerOutcome& outcome = report_.peers[id.value];
  outcome.error = nullptr;
  SimPeer peer(*this, id, task);
  try {
    body_(peer);
  } catch (const HostOff&) {
    outcome.error = std::make_exception_ptr(Error(ExitCode::peers_lost, death_of(id)));
  } catch (...) {
    outcome.error = std::current_exception();
  }
  leave(peer, outcome);
}

std::string SimRun::death_of(PeerId id) const {
  const std::optional<Death>& death = deaths_[id.value];
  if (death) {
    return "host of " + to_string(id) + " went off at " + in_seconds(death->at);
  }
  return to_string(id) + " was still running at the time limit of " +
         in_seconds(Time{} + options_.time_limit);
}

/// Tells observers, then the others. Of a host that went off nobody hears; its silence is noticed.
void SimRun::leave(SimPeer& peer, PeerOutcome& outcome) {
  const PeerId id = peer.id();
  end_order_[id.value] = Time{Duration(++ends_)};
  waits_.leave(id);
  Goodbye goodbye = close_outcome(peer, outcome);
  if (deaths_[id.value]) {
    return;
  }
  left_[id.value] = true;
  post_office_.leave(id, std::move(goodbye));
}

void SimRun::kill(PeerId id, std::size_t fault) {
  if (deaths_[id.value]) {
    return;
  }
  post_office_.turn_off(id);
  if (left_[id.value]) {
    return;
  }
  deaths_[id.value] = Death{fault, now()};
  killed_[fault] = true;
  scheduler_.turn_off(id.value);
  scheduler_.at(now() + options_.detection, [this, id, fault] {
    const std::optional<Death>& death = deaths_[id.value];
    if (!death || death->fault != fault) {
      return;
    }  // it came back before anybody noticed
    post_office_.leave(id, {false, id, death_of(id), ExitCode::peers_lost});
  });
}

void SimRun::bring_back(PeerId id, std::size_t fault) {
  const std::optional<Death>& death = deaths_[id.value];
  if (!death || death->fault != fault) {
    return;
  }
  deaths_[id.value].reset();
  post_office_.turn_on(id);
  ++incarnations_[id.value];
  begin_life(id);
}

void SimRun::report_stall() {
  if (options_.observer == nullptr) {
    return;
  }
  std::string table = waits_.table(now());
  if (table.empty()) {
    table = "everyone waits for a message from anyone, for room to send or for an own activity\n";
  }
  try {
    options_.observer->on_event({peers_.front(), now(), Stalled{std::move(table)}});
  } catch (...) {  // the observer's own trouble: the waits fail all the same
    return;
  }
}

}  // namespace starling::simulation
