#include "starling/simulation/post_office.hpp"

#include <utility>
#include <vector>

#include "starling/core/ensure.hpp"

namespace starling::simulation {

PostOffice::PostOffice(Kernel& kernel,
                       Scheduler& scheduler,
                       std::span<const PeerId> peers,
                       const FaultPlan& faults,
                       std::uint64_t seed)
    : kernel_(kernel),
      scheduler_(scheduler),
      peers_(peers),
      links_(scheduler, peers.size(), faults, seed, [this] { hold_or_launch_all(); }),
      present_(peers.size()) {
  for (std::size_t rank = 0; rank < peers.size(); ++rank) {
    nodes_.emplace_back(scheduler);
  }
  kernel_.on_landed([this](FlightId flight) { landed(flight); });
}

PostOffice::Node& PostOffice::node(PeerId peer) {
  ensure(peer.value < nodes_.size(), "no such peer in this world", peer.value, nodes_.size());
  return nodes_[peer.value];
}

const PostOffice::Node& PostOffice::node(PeerId peer) const {
  ensure(peer.value < nodes_.size(), "no such peer in this world", peer.value, nodes_.size());
  return nodes_[peer.value];
}

PostOffice::Sent PostOffice::send(PeerId to,
                                  const QueueKey& queue,
                                  const Stamp& stamp,
                                  Buffer& payload) {
  Node& reader = node(to);
  if (reader.goodbye) {
    return Sent::closed;
  }
  Letter letter{stamp, std::move(payload)};
  if (!reader.inbox.admit(queue, letter)) {
    payload = std::move(letter.payload);
    return Sent::full;
  }
  dispatch(to, queue, std::move(letter));
  return Sent::taken;
}

std::uint64_t PostOffice::post(
    PeerId to, const QueueKey& queue, const Stamp& stamp, Buffer payload, Task& poster) {
  const std::uint64_t ticket = next_id_++;
  Loan& loan = loans_[ticket];
  loan.to = to;
  loan.tag = queue.tag;
  loan.poster = &poster;
  if (node(to).goodbye) {
    loan.fate = Posted::lost;
  } else {
    loan.transfer = dispatch(to, queue, {stamp, std::move(payload), ticket});
  }
  return ticket;
}

Posted PostOffice::fate(std::uint64_t ticket) const {
  return loans_.at(ticket).fate;
}

PeerId PostOffice::reader(std::uint64_t ticket) const {
  return loans_.at(ticket).to;
}

Tag PostOffice::tag(std::uint64_t ticket) const {
  return loans_.at(ticket).tag;
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
  if (loan.place) {
    node(loan.to).inbox.remove(*loan.place);
  } else {
    drop(loan.transfer);
  }
}

/// Starts the message on its way. @return 0 if it is lost at once
PostOffice::TransferId PostOffice::dispatch(PeerId to, const QueueKey& queue, Letter letter) {
  const TransferId id = next_id_++;
  Transfer transfer;
  transfer.to = to;
  transfer.queue = queue;
  transfer.number = ++node(to).orders[queue].sent;
  transfer.delay = links_.draw_delay(queue.from, to);
  transfer.letter = std::move(letter);
  transfers_.emplace(id, std::move(transfer));
  if (!node(queue.from).on || !node(to).on) {
    drop(id);
    return 0;
  }
  launch(id);
  return id;
}

void PostOffice::launch(TransferId id) {
  Transfer& transfer = transfers_.at(id);
  if (links_.cut(transfer.queue.from, transfer.to)) {
    return;
  }
  transfer.flight =
      kernel_.launch(transfer.queue.from.value,
                     transfer.to.value,
                     transfer.letter.payload.size() * byte_scale_ + kMessageOverheadBytes);
  flights_.emplace(transfer.flight, id);
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
  settle(transfer.to, transfer.queue, transfer.number, id);
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
  Node& reader = node(transfer.to);
  reader.inbox.release(transfer.queue, transfer.letter);
  const auto loan = loans_.find(transfer.letter.ticket);
  if (loan != loans_.end()) {
    loan->second.transfer = 0;
  }
  if (transfer.number > reader.orders[transfer.queue].settled) {
    settle(transfer.to, transfer.queue, transfer.number, 0);
  }
}

template <class Condition>
void PostOffice::drop_all(Condition concerned) {
  std::vector<TransferId> lost;
  for (const auto& [id, transfer] : transfers_) {
    if (concerned(transfer)) {
      lost.push_back(id);
    }
  }
  for (const TransferId id : lost) {
    drop(id);
  }
}

/// Transfers overtake each other; what a queue delivers keeps the order it was sent in.
void PostOffice::settle(PeerId to, const QueueKey& queue, std::uint64_t number, TransferId id) {
  Order& order = node(to).orders[queue];
  order.early[number] = id;
  while (!order.early.empty() && order.early.begin()->first == order.settled + 1) {
    const TransferId next = order.early.begin()->second;
    order.early.erase(order.early.begin());
    ++order.settled;
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
    node(to).inbox.call_out(News::letter, queue);
  }
}

/// A posted message is the office's own now if there is room to keep it; else when it is read.
void PostOffice::deliver(Transfer& transfer) {
  Inbox& inbox = node(transfer.to).inbox;
  Letter& letter = transfer.letter;
  const std::uint64_t ticket = letter.ticket;
  const bool kept = ticket == 0 || inbox.admit(transfer.queue, letter);
  const Inbox::Place place = inbox.put(transfer.queue, std::move(letter));
  const auto loan = loans_.find(ticket);
  if (loan != loans_.end()) {
    loan->second.transfer = 0;
    loan->second.place = place;
    if (kept) {
      decide(ticket, Posted::taken);
    }
  }
  inbox.call_out(News::letter, transfer.queue);
}

void PostOffice::decide(std::uint64_t ticket, Posted fate) {
  Loan& loan = loans_.at(ticket);
  loan.fate = fate;
  scheduler_.notify(*loan.poster);
}

std::optional<Message> PostOffice::take(PeerId owner, Source from, Tag tag) {
  auto taken = node(owner).inbox.take(from, tag);
  if (!taken) {
    return std::nullopt;
  }
  Letter& letter = taken->letter;
  const auto loan = loans_.find(letter.ticket);
  if (loan != loans_.end() && loan->second.fate == Posted::under_way) {
    decide(letter.ticket, Posted::taken);
  }
  return Message{taken->from, letter.stamp, std::move(letter.payload)};
}

std::optional<PeerId> PostOffice::gone(PeerId owner, Source from, Tag tag) const {
  const Node& reader = node(owner);
  const auto under_way = [](const Order& order) { return order.settled < order.sent; };
  if (from) {
    if (!is_gone(*from)) {
      return std::nullopt;
    }
    const auto order = reader.orders.find({tag, *from});
    const bool more = order != reader.orders.end() && under_way(order->second);
    return more ? std::nullopt : from;
  }
  if (present_ > (reader.goodbye ? 0U : 1U)) {
    return std::nullopt;
  }
  for (auto order = reader.orders.lower_bound({tag, PeerId{0}});
       order != reader.orders.end() && order->first.tag == tag;
       ++order) {
    if (under_way(order->second)) {
      return std::nullopt;
    }
  }
  return last_witness(owner, peers_, [this](PeerId peer) { return &goodbye(peer); });
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
  for (Node& other : nodes_) {
    other.inbox.call_out_leave(peer, present_ <= 1);
  }
}

/// Nobody reads the inbox of `peer` any more. It is closed last: what was lost may have held up
/// messages that had arrived, and those go with it.
void PostOffice::close(PeerId peer) {
  drop_all([peer](const Transfer& transfer) { return transfer.to == peer; });
  node(peer).inbox.close();
}

void PostOffice::turn_off(PeerId peer) {
  node(peer).on = false;
  close(peer);
  drop_all([peer](const Transfer& transfer) { return transfer.queue.from == peer; });
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

/// A transfer that is cut short starts anew when the link is back.
void PostOffice::hold_or_launch_all() {
  for (auto& [id, transfer] : transfers_) {
    if (transfer.landed) {
      continue;
    }
    if (transfer.flight == 0) {
      launch(id);
    } else if (links_.cut(transfer.queue.from, transfer.to)) {
      kernel_.cancel(transfer.flight);
      flights_.erase(transfer.flight);
      transfer.flight = 0;
    }
  }
}

}  // namespace starling::simulation
