#include "starling/collective/schedule.hpp"

#include <utility>

#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

/// `lane` backwards; what was a receive is listed first, since it has become a send.
Lane reversed(const Lane& lane) {
  Lane mirror;
  for (std::size_t round = lane.rounds(); round-- > 0;) {
    mirror.open_round();
    for (const Transfer& each : lane.round(round)) {
      ensure(each.action != Action::add, "only a schedule that copies can be reversed", round);
      if (each.action == Action::copy) {
        mirror.transfer(Action::send, each.peer, lane.blocks(each));
      }
    }
    for (const Transfer& each : lane.round(round)) {
      if (each.action == Action::send) {
        mirror.transfer(Action::add, each.peer, lane.blocks(each));
      }
    }
  }
  return mirror;
}

}  // namespace

const char* to_string(Operation operation) noexcept {
  switch (operation) {
    case Operation::all_reduce:
      return "all-reduce";
    case Operation::broadcast:
      return "broadcast";
    case Operation::reduce:
      return "reduce";
    case Operation::all_gather:
      return "all-gather";
    case Operation::reduce_scatter:
      return "reduce-scatter";
    case Operation::barrier:
      return "barrier";
  }
  return "unknown";
}

Range held_blocks(const Request& request, std::size_t blocks) {
  switch (request.operation) {
    case Operation::all_gather:
    case Operation::barrier:
      return {request.rank, request.rank + 1};
    case Operation::broadcast:
      return {0, request.rank == request.root ? blocks : 0};
    default:
      return {0, blocks};
  }
}

Range promised_blocks(const Request& request, std::size_t blocks) {
  switch (request.operation) {
    case Operation::reduce:
      return {0, request.rank == request.root ? blocks : 0};
    case Operation::reduce_scatter:
      return {request.rank, request.rank + 1};
    default:
      return {0, blocks};
  }
}

void Lane::open_round() {
  round_begins_.push_back(transfers_.size());
}

void Lane::transfer(Action action, std::size_t peer, std::span<const Range> blocks) {
  ensure(!round_begins_.empty(), "a transfer belongs to a round", peer);
  Transfer added{
      action, static_cast<std::uint32_t>(peer), static_cast<std::uint32_t>(runs_.size()), 0};
  for (const Range& run : blocks) {
    if (run.empty()) {
      continue;
    }
    runs_.push_back(run);
    added.runs += 1;
  }
  transfers_.push_back(added);
}

void Lane::transfer(Action action, std::size_t peer, std::initializer_list<Range> blocks) {
  transfer(action, peer, std::span<const Range>(blocks.begin(), blocks.size()));
}

std::span<const Transfer> Lane::round(std::size_t index) const {
  ensure(index < round_begins_.size(), "no such round", index, round_begins_.size());
  const std::size_t begin = round_begins_[index];
  const std::size_t end =
      index + 1 < round_begins_.size() ? round_begins_[index + 1] : transfers_.size();
  return std::span(transfers_).subspan(begin, end - begin);
}

std::span<const Range> Lane::blocks(const Transfer& transfer) const {
  return std::span(runs_).subspan(transfer.first_run, transfer.runs);
}

void Lane::append(const Lane& later) {
  for (std::size_t round = 0; round < later.rounds(); ++round) {
    open_round();
    for (const Transfer& each : later.round(round)) {
      transfer(each.action, each.peer, later.blocks(each));
    }
  }
}

Schedule make_schedule(std::size_t peers, std::size_t rank, std::size_t blocks) {
  ensure(rank < peers, "a schedule is for a rank of the group", rank, peers);
  Schedule schedule;
  schedule.peers = peers;
  schedule.rank = rank;
  schedule.blocks = blocks;
  return schedule;
}

Range elements_of(const Schedule& schedule, Range run, std::size_t elements) {
  if (run.empty()) {
    return {0, 0};
  }
  return {chunk(elements, schedule.blocks, run.begin).begin,
          chunk(elements, schedule.blocks, run.end - 1).end};
}

Schedule reversed(const Schedule& schedule) {
  Schedule mirror = make_schedule(schedule.peers, schedule.rank, schedule.blocks);
  mirror.owned = schedule.owned;
  mirror.lanes.clear();
  for (const Lane& lane : schedule.lanes) {
    mirror.lanes.push_back(reversed(lane));
  }
  return mirror;
}

Schedule joined(Schedule first, const Schedule& second) {
  ensure(first.peers == second.peers && first.rank == second.rank &&
             first.blocks == second.blocks && first.lanes.size() == second.lanes.size(),
         "only schedules of one shape can be joined",
         first.peers,
         second.peers,
         first.blocks,
         second.blocks);
  ensure(first.owned == second.owned,
         "the second half starts from the blocks the first one ends with",
         first.owned.size(),
         second.owned.size());
  for (std::size_t lane = 0; lane < first.lanes.size(); ++lane) {
    first.lanes[lane].append(second.lanes[lane]);
  }
  return first;
}

std::vector<Range> cyclic_run(std::size_t first, std::size_t count, std::size_t total) {
  ensure(first < total && count <= total, "a cyclic run stays in its circle", first, count, total);
  if (first + count <= total) {
    return {{first, first + count}};
  }
  return {{first, total}, {0, first + count - total}};
}

}  // namespace starling::collective
