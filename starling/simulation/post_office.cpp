#include "starling/simulation/post_office.hpp"

#include <algorithm>

#include "starling/core/ensure.hpp"

namespace starling::simulation {

namespace {

std::pair<PeerId, PeerId> either_way(PeerId a, PeerId b) {
  return std::minmax(a, b);
}

bool matches(const Waiter& waiter, Waiter::For what, PeerId from, Tag tag) {
  return waiter.what == what && waiter.tag == tag && (!waiter.from || *waiter.from == from);
}

}  // namespace

PostOffice::PostOffice(Kernel& kernel,
                       Scheduler& scheduler,
                       std::size_t peers,
                       const FaultPlan& faults,
                       std::uint64_t seed)
    : kernel_(kernel), scheduler_(scheduler), seed_(seed), nodes_(peers), present_(peers) {
  kernel_.on_landed([this](FlightId flight) { landed(flight); });
  for (const Fault& fault : faults.faults) {
    if (fault.kind == Fault::Kind::delay) {
      delays_.push_back(fault);
    }
    if (fault.kind != Fault::Kind::link_down) {
      continue;
    }
    scheduler_.at(fault.from, [this, fault] { change_link(fault, true); });
    if (fault.until < Time::max()) {
      scheduler_.at(fault.until, [this, fault] { change_link(fault, false); });
    }
  }
}

PostOffice::Node& PostOffice::node(PeerId peer) {
  ensure(peer.value < nodes_.size(), "no such peer in this world", peer.value, nodes_.size());
  return nodes_[peer.value];
}

const PostOffice::Node& PostOffice::node(PeerId peer) const {
  ensure(peer.value < nodes_.size(), "no such peer in this world", peer.value, nodes_.size());
  return nodes_[peer.value];
}

PostOffice::Sent PostOffice::send(
    PeerId from, PeerId to, Tag tag, const Stamp& stamp, Buffer& payload) {
  Node& reader = node(to);
  if (reader.goodbye) {
    return Sent::closed;
  }
  Queue& queue = reader.queues[{tag, from}];
  const std::size_t bytes = payload.size();
  const bool full =
      queue.owned >= kMessagesMax || (queue.owned > 0 && queue.owned_bytes + bytes > kBytesMax);
  if (full) {
    return Sent::full;
  }
  ++queue.owned;
  queue.owned_bytes += bytes;
  dispatch(from, to, tag, {stamp, std::move(payload), 0});
  return Sent::taken;
}

std::uint64_t PostOffice::post(
    PeerId from, PeerId to, Tag tag, const Stamp& stamp, Buffer payload, Task& poster) {
  const std::uint64_t ticket = next_id_++;
  Loan& loan = loans_[ticket];
  loan.to = to;
  loan.poster = &poster;
  if (node(to).goodbye) {
    loan.fate = Posted::lost;
  } else {
    loan.transfer = dispatch(from, to, tag, {stamp, std::move(payload), ticket});
  }
  return ticket;
}

Posted PostOffice::fate(std::uint64_t ticket) const {
  return loans_.at(ticket).fate;
}

PeerId PostOffice::reader(std::uint64_t ticket) const {
  return loans_.at(ticket).to;
}

void PostOffice::forget(std::uint64_t ticket) {
  loans_.erase(ticket);
}

void PostOffice::withdraw(std::uint64_t ticket) {
  const auto found = loans_.find(ticket);
  if (found == loans_.end()) {
    return;
  }
  const Loan loan = found->second;
  loans_.erase(found);
  if (loan.fate == Posted::under_way) {
    drop(loan.transfer);
  }
  if (loan.fate != Posted::arrived) {
    return;
  }
  const auto letter = node(loan.to).letters.find(loan.letter);
  if (letter != node(loan.to).letters.end()) {
    remove_letter(loan.to, letter);
  }
}

/// Starts the message on its way. @return 0 if it is lost at once
PostOffice::TransferId PostOffice::dispatch(PeerId from, PeerId to, Tag tag, Letter letter) {
  const TransferId id = next_id_++;
  Transfer transfer;
  transfer.from = from;
  transfer.to = to;
  transfer.tag = tag;
  transfer.number = ++node(to).queues[{tag, from}].sent;
  transfer.delay = draw_delay(from, to);
  transfer.letter = std::move(letter);
  transfers_.emplace(id, std::move(transfer));
  if (!node(from).on || !node(to).on) {
    drop(id);
    return 0;
  }
  launch(id);
  return id;
}

void PostOffice::launch(TransferId id) {
  Transfer& transfer = transfers_.at(id);
  if (cut(transfer.from, transfer.to)) {
    return;
  }
  transfer.flight = kernel_.launch(transfer.from.value,
                                   transfer.to.value,
                                   transfer.letter.payload.size() + kMessageOverheadBytes);
  flights_.emplace(transfer.flight, id);
}

bool PostOffice::cut(PeerId from, PeerId to) const {
  if (node(from).links_down > 0 || node(to).links_down > 0) {
    return true;
  }
  const auto pair = pairs_down_.find(either_way(from, to));
  return pair != pairs_down_.end() && pair->second > 0;
}

Duration PostOffice::draw_delay(PeerId from, PeerId to) {
  Duration late{};
  const Time now = scheduler_.now();
  for (const Fault& fault : delays_) {
    const bool concerned = (!fault.peer || *fault.peer == from) &&
                           (!fault.other || *fault.other == to) && fault.from <= now &&
                           now < fault.until;
    if (!concerned) {
      continue;
    }
    std::optional<Random>& random = node(from).delays;
    if (!random) {
      random.emplace(stream_key(seed_, from.value), stream_key("simulation.delay"));
    }
    if (random->bernoulli(fault.probability)) {
      late += fault.by;
    }
  }
  return late;
}

void PostOffice::landed(FlightId flight) {
  const auto found = flights_.find(flight);
  const TransferId id = found->second;
  flights_.erase(found);
  Transfer& transfer = transfers_.at(id);
  transfer.flight = 0;
  transfer.landed = true;
  if (transfer.delay > Duration{}) {
    scheduler_.at(scheduler_.now() + transfer.delay, [this, id] { arrive(id); });
  } else {
    arrive(id);
  }
  scheduler_.look_for_stall();
}

void PostOffice::arrive(TransferId id) {
  const auto found = transfers_.find(id);
  if (found == transfers_.end()) {
    return;
  }  // dropped while it was late
  const Transfer& transfer = found->second;
  settle(transfer.to, {transfer.tag, transfer.from}, transfer.number, id);
}

/// The message is lost: whatever came after it may pass.
void PostOffice::drop(TransferId id) {
  const auto found = transfers_.find(id);
  if (found == transfers_.end()) {
    return;
  }
  Transfer transfer = std::move(found->second);
  transfers_.erase(found);
  if (transfer.flight != 0) {
    kernel_.cancel(transfer.flight);
    flights_.erase(transfer.flight);
  }
  const QueueKey key{transfer.tag, transfer.from};
  if (transfer.letter.ticket == 0) {
    release(transfer.to, key, transfer.letter.payload.size());
  }
  const auto loan = loans_.find(transfer.letter.ticket);
  if (loan != loans_.end()) {
    loan->second.transfer = 0;
  }
  Queue& queue = node(transfer.to).queues[key];
  if (transfer.number > queue.settled) {
    settle(transfer.to, key, transfer.number, 0);
  }
}

/// Transfers overtake each other; what a queue delivers keeps the order it was sent in.
void PostOffice::settle(PeerId to, const QueueKey& key, std::uint64_t number, TransferId id) {
  Queue& queue = node(to).queues[key];
  queue.early[number] = id;
  while (!queue.early.empty() && queue.early.begin()->first == queue.settled + 1) {
    const TransferId next = queue.early.begin()->second;
    queue.early.erase(queue.early.begin());
    ++queue.settled;
    const auto found = transfers_.find(next);
    if (found == transfers_.end()) {
      continue;
    }
    Transfer transfer = std::move(found->second);
    transfers_.erase(found);
    deliver(transfer);
  }
  // A lost message may have been the last one of a peer that is gone: let its reader look.
  if (id == 0) {
    tell(to, Waiter::For::letter, key.second, key.first);
  }
}

void PostOffice::deliver(Transfer& transfer) {
  Node& reader = node(transfer.to);
  const std::uint64_t arrival = next_id_++;
  const LetterKey key{{transfer.tag, transfer.from}, arrival};
  const std::uint64_t ticket = transfer.letter.ticket;
  reader.arrivals.emplace(ArrivalKey(transfer.tag, arrival), transfer.from);
  reader.letters.emplace(key, std::move(transfer.letter));
  const auto loan = loans_.find(ticket);
  if (loan != loans_.end()) {
    loan->second.letter = key;
    decide(ticket, Posted::arrived);
  }
  tell(transfer.to, Waiter::For::letter, transfer.from, transfer.tag);
}

void PostOffice::decide(std::uint64_t ticket, Posted fate) {
  Loan& loan = loans_.at(ticket);
  loan.fate = fate;
  scheduler_.notify(*loan.poster);
}

bool PostOffice::holds(PeerId owner, Source from, Tag tag) const {
  const Node& reader = node(owner);
  if (from) {
    const auto letter = reader.letters.lower_bound({{tag, *from}, 0});
    return letter != reader.letters.end() && letter->first.first == QueueKey(tag, *from);
  }
  const auto arrival = reader.arrivals.lower_bound({tag, 0});
  return arrival != reader.arrivals.end() && arrival->first.first == tag;
}

std::optional<Message> PostOffice::take(PeerId owner, Source from, Tag tag) {
  if (!holds(owner, from, tag)) {
    return std::nullopt;
  }
  Node& reader = node(owner);
  const PeerId source = from ? *from : reader.arrivals.lower_bound({tag, 0})->second;
  const auto letter = reader.letters.lower_bound({{tag, source}, 0});
  Message message{source, letter->second.stamp, std::move(letter->second.payload)};
  const bool owned = letter->second.ticket == 0;
  reader.arrivals.erase({tag, letter->first.second});
  reader.letters.erase(letter);
  if (owned) {
    release(owner, {tag, source}, message.payload.size());
  }
  return message;
}

void PostOffice::remove_letter(PeerId owner, std::map<LetterKey, Letter>::iterator letter) {
  Node& reader = node(owner);
  reader.arrivals.erase({letter->first.first.first, letter->first.second});
  reader.letters.erase(letter);
}

void PostOffice::release(PeerId owner, const QueueKey& key, std::size_t bytes) {
  Queue& queue = node(owner).queues[key];
  --queue.owned;
  queue.owned_bytes -= bytes;
  tell(owner, Waiter::For::room, key.second, key.first);
}

void PostOffice::tell(PeerId at, Waiter::For what, PeerId from, Tag tag) {
  for (const Waiter* waiter : node(at).waiters) {
    if (matches(*waiter, what, from, tag)) {
      scheduler_.notify(*waiter->task);
    }
  }
}

void PostOffice::add(PeerId at, const Waiter& waiter) {
  node(at).waiters.push_back(&waiter);
}

void PostOffice::remove(PeerId at, const Waiter& waiter) noexcept {
  std::erase(node(at).waiters, &waiter);
}

std::optional<PeerId> PostOffice::gone(PeerId owner, Source from, Tag tag) const {
  const Node& reader = node(owner);
  const auto under_way = [](const Queue& queue) { return queue.settled < queue.sent; };
  if (from) {
    if (!node(*from).goodbye) {
      return std::nullopt;
    }
    const auto queue = reader.queues.find({tag, *from});
    const bool more = queue != reader.queues.end() && under_way(queue->second);
    return more ? std::nullopt : from;
  }
  if (present_ > (reader.goodbye ? 0U : 1U)) {
    return std::nullopt;
  }
  for (auto queue = reader.queues.lower_bound({tag, PeerId{0}});
       queue != reader.queues.end() && queue->first.first == tag;
       ++queue) {
    if (under_way(queue->second)) {
      return std::nullopt;
    }
  }
  std::optional<PeerId> witness;
  for (std::size_t rank = 0; rank < nodes_.size(); ++rank) {
    if (rank == owner.value) {
      continue;
    }
    const bool failed = !goodbye({rank}).finished;
    if (!witness || (failed && goodbye(*witness).finished)) {
      witness = PeerId{rank};
    }
  }
  return witness.value_or(owner);
}

const Goodbye& PostOffice::goodbye(PeerId peer) const {
  ensure(node(peer).goodbye.has_value(), "only a peer that is gone has said goodbye", peer.value);
  return *node(peer).goodbye;
}

void PostOffice::leave(PeerId peer, Goodbye goodbye) {
  Node& leaver = node(peer);
  ensure(!leaver.goodbye, "a peer leaves once", peer.value);
  leaver.goodbye = std::move(goodbye);
  --present_;
  close(peer);
  for (auto& [ticket, loan] : loans_) {
    if (loan.to == peer && loan.fate == Posted::under_way) {
      decide(ticket, Posted::lost);
    }
  }
  for (const Node& other : nodes_) {
    for (const Waiter* waiter : other.waiters) {
      const bool concerned = waiter->from ? *waiter->from == peer : present_ <= 1;
      if (waiter->what == Waiter::For::letter && concerned) {
        scheduler_.notify(*waiter->task);
      }
    }
  }
}

/// Nobody reads the inbox of `peer` any more: it is emptied, and who waits for room looks again.
void PostOffice::close(PeerId peer) {
  Node& closed = node(peer);
  closed.letters.clear();
  closed.arrivals.clear();
  std::vector<TransferId> lost;
  for (const auto& [id, transfer] : transfers_) {
    if (transfer.to == peer) {
      lost.push_back(id);
    }
  }
  for (const TransferId id : lost) {
    drop(id);
  }
  for (auto& [key, queue] : closed.queues) {
    queue.owned = 0;
    queue.owned_bytes = 0;
  }
  for (const Waiter* waiter : closed.waiters) {
    if (waiter->what == Waiter::For::room) {
      scheduler_.notify(*waiter->task);
    }
  }
}

void PostOffice::turn_off(PeerId peer) {
  node(peer).on = false;
  close(peer);
  std::vector<TransferId> lost;
  for (const auto& [id, transfer] : transfers_) {
    if (transfer.from == peer) {
      lost.push_back(id);
    }
  }
  for (const TransferId id : lost) {
    drop(id);
  }
}

void PostOffice::turn_on(PeerId peer) {
  Node& back = node(peer);
  back.on = true;
  if (back.goodbye) {
    back.goodbye.reset();
    ++present_;
  }
  for (auto& [ticket, loan] : loans_) {
    const bool vanished = loan.to == peer && loan.transfer == 0;
    if (vanished && loan.fate == Posted::under_way) {
      decide(ticket, Posted::lost);
    }
  }
}

void PostOffice::change_link(const Fault& fault, bool down) {
  std::size_t& count = fault.other ? pairs_down_[either_way(*fault.peer, *fault.other)]
                                   : node(*fault.peer).links_down;
  if (down) {
    ++count;
  } else {
    --count;
  }
  hold_or_launch_all();
}

/// A transfer that is cut short starts anew when the link is back.
void PostOffice::hold_or_launch_all() {
  for (auto& [id, transfer] : transfers_) {
    if (transfer.landed) {
      continue;
    }
    if (transfer.flight == 0) {
      launch(id);
    } else if (cut(transfer.from, transfer.to)) {
      kernel_.cancel(transfer.flight);
      flights_.erase(transfer.flight);
      transfer.flight = 0;
    }
  }
}

}  // namespace starling::simulation
