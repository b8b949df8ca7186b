#include "starling/collective/clos.hpp"

#include <bit>

namespace starling::collective {

namespace {

/// The number with the lowest `bits` bits in reverse order.
std::size_t bits_reversed(std::size_t number, std::size_t bits) {
  std::size_t mirror = 0;
  for (std::size_t bit = 0; bit < bits; ++bit) {
    mirror = mirror * 2 + (number >> bit) % 2;
  }
  return mirror;
}

Schedule blank(const Request& request) {
  Schedule schedule = make_schedule(request.peers, request.rank, request.peers);
  if (has_parts(request.operation)) {
    schedule.cut = parts_of(request);
  }
  return schedule;
}

/// The block that rank r has in the middle: that of the rank with its bits reversed.
std::size_t middle_block(const Request& request) {
  return bits_reversed(request.rank, floor_log2(request.peers));
}

/// From the middle blocks to all.
Schedule doubling(const Request& request) {
  Schedule schedule = blank(request);
  const std::size_t block = middle_block(request);
  schedule.owned = {{block, block + 1}};
  std::size_t distance = request.peers / 2;
  for (std::size_t size = 1; size < request.peers; size *= 2) {
    const std::size_t mine = block / size * size;
    const std::size_t theirs = mine ^ size;
    Lane& lane = schedule.lanes.front();
    lane.open_round();
    lane.transfer(Action::send, request.rank ^ distance, {Range{mine, mine + size}});
    lane.transfer(Action::copy, request.rank ^ distance, {Range{theirs, theirs + size}});
    distance /= 2;
  }
  return schedule;
}

/// The ranks of a pair with reversed bits send each other one block and receive one.
void swap_with_mirror(Lane& lane, const Request& request, std::size_t sent, std::size_t received) {
  const std::size_t mirror = middle_block(request);
  lane.open_round();
  if (mirror != request.rank) {
    lane.transfer(Action::send, mirror, {Range{sent, sent + 1}});
    lane.transfer(Action::copy, mirror, {Range{received, received + 1}});
  }
}

}  // namespace

Schedule clos_all_gather(const Request& request) {
  Schedule schedule = blank(request);
  schedule.owned = {{request.rank, request.rank + 1}};
  Lane& lane = schedule.lanes.front();
  swap_with_mirror(lane, request, request.rank, middle_block(request));
  lane.append(doubling(request).lanes.front());
  return schedule;
}

Schedule clos_reduce_scatter(const Request& request) {
  Schedule schedule = reversed(doubling(request));
  swap_with_mirror(schedule.lanes.front(), request, middle_block(request), request.rank);
  return schedule;
}

Schedule clos_all_reduce(const Request& request) {
  return joined(reversed(doubling(request)), doubling(request));
}

std::optional<std::string> clos_objection(const Request& request) {
  const std::size_t n = request.peers;
  if (std::has_single_bit(n)) {
    return std::nullopt;
  }
  return "a power of two of peers is needed, such as " + std::to_string(std::bit_floor(n)) +
         " or " + std::to_string(std::bit_ceil(n)) + ", found " + std::to_string(n);
}

}  // namespace starling::collective
