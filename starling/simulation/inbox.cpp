#include "starling/simulation/inbox.hpp"

#include <utility>

namespace starling::simulation {

bool Inbox::admit(const QueueKey& queue, Letter& letter) {
  Rooms& rooms = rooms_[queue];
  QueueRoom& room = letter.ticket == 0 ? rooms.sent : rooms.posted;
  letter.has_room = room.enter(letter.payload.size());
  return letter.has_room;
}

void Inbox::release(const QueueKey& queue, const Letter& letter) {
  if (!letter.has_room) {
    return;
  }
  Rooms& rooms = rooms_[queue];
  if (letter.ticket != 0) {
    rooms.posted.leave(letter.payload.size());
    return;
  }
  rooms.sent.leave(letter.payload.size());
  call_out(News::room, queue);
}

Inbox::Place Inbox::put(const QueueKey& queue, Letter letter) {
  const Place place{queue, ++arrived_};
  arrivals_.emplace(std::pair(queue.tag, arrived_), queue.from);
  letters_.emplace(place, std::move(letter));
  return place;
}

void Inbox::call_out(News news, const QueueKey& queue) {
  for (const Waiter<Task>* waiter : waiters_) {
    if (waiter->is_concerned(news, queue.from, queue.tag)) {
      scheduler_.notify(*waiter->sleeper);
    }
  }
}

bool Inbox::holds(Source from, Tag tag) const {
  if (from) {
    return first_of({tag, *from}) != letters_.end();
  }
  const auto arrival = arrivals_.lower_bound({tag, 0});
  return arrival != arrivals_.end() && arrival->first.first == tag;
}

std::optional<Stamp> Inbox::peek(Source from, Tag tag) const {
  if (!holds(from, tag)) {
    return std::nullopt;
  }
  const PeerId source = from ? *from : arrivals_.lower_bound({tag, 0})->second;
  return first_of({tag, source})->second.stamp;
}

std::optional<Inbox::Taken> Inbox::take(Source from, Tag tag) {
  if (!holds(from, tag)) {
    return std::nullopt;
  }
  const QueueKey queue{tag, from ? *from : arrivals_.lower_bound({tag, 0})->second};
  Taken taken{queue.from, extract(first_of(queue))};
  release(queue, taken.letter);
  return taken;
}

void Inbox::remove(const Place& place) {
  const auto found = letters_.find(place);
  if (found != letters_.end()) {
    release(place.first, extract(found));
  }
}

void Inbox::close() {
  letters_.clear();
  arrivals_.clear();
  rooms_.clear();
  for (const Waiter<Task>* waiter : waiters_) {
    if (waiter->awaited == News::room) {
      scheduler_.notify(*waiter->sleeper);
    }
  }
}

void Inbox::call_out_leave(PeerId peer, bool nobody_else) {
  for (const Waiter<Task>* waiter : waiters_) {
    const bool concerned = waiter->from ? *waiter->from == peer : nobody_else;
    if (waiter->awaited == News::letter && concerned) {
      scheduler_.notify(*waiter->sleeper);
    }
  }
}

std::map<Inbox::Place, Letter>::const_iterator Inbox::first_of(const QueueKey& queue) const {
  const auto letter = letters_.lower_bound({queue, 0});
  return letter != letters_.end() && letter->first.first == queue ? letter : letters_.end();
}

Letter Inbox::extract(std::map<Place, Letter>::const_iterator letter) {
  const auto node = letters_.extract(letter);
  const Place& place = node.key();
  arrivals_.erase({place.first.tag, place.second});
  return std::move(node.mapped());
}

}  // namespace starling::simulation
