#include "starling/collective/schedule.hpp"

#include <algorithm>
#include <utility>

#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

/// `lane` backwards; what was a receive is listed first, since it has become a send.
Lane reversed(const Lane& lane, Action copies_become) {
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
        mirror.transfer(copies_become, each.peer, lane.blocks(each));
      }
    }
  }
  return mirror;
}

Cut equal_regions(std::size_t regions, std::size_t blocks) {
  return Cut::regions(std::vector<double>(regions, 1.0 / static_cast<double>(regions)), blocks);
}

/// Every part of the vector cut into `pieces`.
Cut in_pieces(const Request& request, std::size_t parts, std::size_t pieces) {
  if (request.parts.empty()) {
    return equal_regions(parts, pieces);
  }
  std::vector<std::size_t> lengths;
  lengths.reserve(parts * pieces);
  for (const std::size_t length : request.parts) {
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      lengths.push_back(chunk(length, pieces, piece).size());
    }
  }
  return Cut::of_lengths(lengths);
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
    case Operation::scatter:
      return "scatter";
    case Operation::gather:
      return "gather";
    case Operation::all_to_all:
      return "all-to-all";
  }
  return "unknown";
}

const char* to_string(ColorWeights weights) noexcept {
  return weights == ColorWeights::equal ? "equal" : "solved";
}

Cut parts_of(const Request& request) {
  const std::size_t n = request.peers;
  if (request.parts.empty()) {
    return Cut::equal(request.operation == Operation::all_to_all ? n * n : n);
  }
  return Cut::of_lengths(request.parts);
}

std::vector<Range> held_blocks(const Request& request, const Schedule& schedule) {
  std::vector<Range> all{{0, schedule.blocks()}};
  switch (request.operation) {
    case Operation::all_gather:
    case Operation::barrier:
    case Operation::gather:
      return {schedule.part(request.rank)};
    case Operation::all_to_all:
      return {{schedule.part(request.rank * request.peers).begin,
               schedule.part((request.rank + 1) * request.peers - 1).end}};
    case Operation::broadcast:
    case Operation::scatter:
      return request.rank == request.root ? all : std::vector<Range>{};
    case Operation::all_reduce:
    case Operation::reduce:
    case Operation::reduce_scatter:
      break;
  }
  return all;
}

std::vector<Range> promised_blocks(const Request& request, const Schedule& schedule) {
  std::vector<Range> all{{0, schedule.blocks()}};
  switch (request.operation) {
    case Operation::reduce:
    case Operation::gather:
      return request.rank == request.root ? all : std::vector<Range>{};
    case Operation::reduce_scatter:
    case Operation::scatter:
      return {schedule.part(request.rank)};
    case Operation::all_to_all: {
      std::vector<Range> column;
      for (std::size_t source = 0; source < request.peers; ++source) {
        column.push_back(schedule.part(source * request.peers + request.rank));
      }
      return column;
    }
    case Operation::all_reduce:
    case Operation::broadcast:
    case Operation::all_gather:
    case Operation::barrier:
      break;
  }
  return all;
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

void Lane::rename_peers(std::span<const std::size_t> members) {
  for (Transfer& each : transfers_) {
    each.peer = static_cast<std::uint32_t>(members[each.peer]);
  }
}

void Lane::append(const Lane& later) {
  for (std::size_t round = 0; round < later.rounds(); ++round) {
    open_round();
    for (const Transfer& each : later.round(round)) {
      transfer(each.action, each.peer, later.blocks(each));
    }
  }
}

std::size_t rounds_to_be_over(const Schedule& schedule, std::size_t lane, std::size_t round) {
  if (round == 0) {
    return 0;
  }
  const auto last = schedule.lanes[lane].round(round - 1);
  const bool received_something = !last.empty() && last.back().action != Action::send;
  if (!received_something || schedule.in_step) {
    return round;
  }
  return round < kRoundsInFlight ? 0 : round + 1 - kRoundsInFlight;
}

Schedule make_schedule(std::size_t peers, std::size_t rank, std::size_t blocks) {
  ensure(rank < peers, "a schedule is for a rank of the group", rank, peers);
  Schedule schedule;
  schedule.peers = peers;
  schedule.rank = rank;
  schedule.cut = Cut::equal(blocks);
  return schedule;
}

Schedule schedule_of_parts(const Request& request, std::size_t pieces) {
  ensure(pieces >= 1, "a part has a piece", pieces);
  const Cut parts = has_parts(request.operation) ? parts_of(request) : Cut::equal(request.peers);
  Schedule schedule = make_schedule(request.peers, request.rank, parts.blocks());
  schedule.cut = parts;
  if (pieces == 1) {
    return schedule;
  }
  schedule.cut = in_pieces(request, parts.blocks(), pieces);
  for (std::size_t index = 0; index <= parts.blocks(); ++index) {
    schedule.parts.push_back(index * pieces);
  }
  return schedule;
}

Schedule schedule_of_regions(const Request& request, std::size_t regions, std::size_t blocks) {
  Schedule schedule = make_schedule(request.peers, request.rank, regions * blocks);
  schedule.cut = equal_regions(regions, blocks);
  schedule.lanes.resize(regions);
  schedule.in_step = true;
  return schedule;
}

Schedule reversed(const Schedule& schedule, Backwards copies_become) {
  Schedule mirror = schedule;
  for (Lane& lane : mirror.lanes) {
    lane = reversed(lane, copies_become == Backwards::adds ? Action::add : Action::copy);
  }
  return mirror;
}

Schedule joined(Schedule first, const Schedule& second) {
  ensure(first.peers == second.peers && first.rank == second.rank && first.cut == second.cut &&
             first.lanes.size() == second.lanes.size(),
         "only schedules of one shape can be joined",
         first.peers,
         second.peers,
         first.blocks(),
         second.blocks());
  for (std::size_t lane = 0; lane < first.lanes.size(); ++lane) {
    first.lanes[lane].append(second.lanes[lane]);
  }
  first.in_step = first.in_step || second.in_step;
  return first;
}

Schedule embedded(const Schedule& schedule,
                  std::size_t peers,
                  std::span<const std::size_t> members) {
  Schedule inside = schedule;
  inside.peers = peers;
  inside.rank = members[schedule.rank];
  for (Lane& lane : inside.lanes) {
    lane.rename_peers(members);
  }
  return inside;
}

Schedule idle_as(const Schedule& pattern, std::size_t rank) {
  Schedule idle = pattern;
  idle.rank = rank;
  idle.owned.clear();
  for (Lane& lane : idle.lanes) {
    Lane silent;
    for (std::size_t round = 0; round < lane.rounds(); ++round) {
      silent.open_round();
    }
    lane = silent;
  }
  return idle;
}

std::vector<Range> cyclic_run(std::size_t first, std::size_t count, std::size_t total) {
  ensure(first < total && count <= total, "a cyclic run stays in its circle", first, count, total);
  if (first + count <= total) {
    return {{first, first + count}};
  }
  return {{first, total}, {0, first + count - total}};
}

}  // namespace starling::collective
