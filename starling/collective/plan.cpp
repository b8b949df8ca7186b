#include "starling/collective/plan.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

constexpr std::size_t kNever = static_cast<std::size_t>(-1);

/// The place of every pair that is not `place`: promised blocks change between output and scratch,
/// others between scratch and spare.
Place other_place(Place place, bool is_promised) {
  if (place == Place::scratch) {
    return is_promised ? Place::output : Place::spare;
  }
  return Place::scratch;
}

/// The blocks that are set, as runs.
std::vector<Range> runs_of(const std::vector<bool>& is_set) {
  std::vector<Range> runs;
  for (std::size_t block = 0; block < is_set.size(); ++block) {
    if (!is_set[block]) {
      continue;
    }
    if (!runs.empty() && runs.back().end == block) {
      runs.back().end = block + 1;
    } else {
      runs.push_back({block, block + 1});
    }
  }
  return runs;
}

/// Where a block is now, and what was last lent of it.
struct BlockPlace {
  Place now = Place::input;
  std::array<std::uint32_t, kPlaces>
      settled{};                     // by place: number of the last send that reads it there
  std::size_t finished_by = kNever;  // index of the addition that completes its sum here
};

/// Where a receive writes a block, and what the block is for then.
struct Target {
  Place place = Place::output;
  NextUse use = NextUse::none;
};

class Planner {
 public:
  Planner(const Request& request, Schedule schedule) {
    plan_.request = request;
    plan_.schedule = std::move(schedule);
    const std::size_t blocks = plan_.schedule.blocks();
    is_promised_.assign(blocks, false);
    for (const Range& run : promised_blocks(request, plan_.schedule)) {
      std::fill(is_promised_.begin() + static_cast<std::ptrdiff_t>(run.begin),
                is_promised_.begin() + static_cast<std::ptrdiff_t>(run.end),
                true);
    }
    has_moved_.assign(blocks, false);
    is_in_scratch_.assign(blocks, false);
    is_in_spare_.assign(blocks, false);
  }

  Plan run() {
    for (const Lane& lane : plan_.schedule.lanes) {
      blocks_.assign(plan_.schedule.blocks(), {});
      find_finishing_additions(lane);
      choose_targets(lane);
      plan_.lanes.push_back(lay_out(lane));
      note_moved(lane);
    }
    note_stays();
    return std::move(plan_);
  }

 private:
  Plan plan_;
  std::vector<bool> is_promised_;
  std::vector<bool> has_moved_;
  std::vector<bool> is_in_scratch_;
  std::vector<bool> is_in_spare_;
  std::vector<BlockPlace> blocks_;
  std::vector<Target> targets_;  // of every block of every receive of the lane, in order

  template <class Visit>
  static void for_each_block_backwards(const Lane& lane, const Transfer& transfer, Visit visit) {
    const auto runs = lane.blocks(transfer);
    for (std::size_t run = runs.size(); run-- > 0;) {
      for (std::size_t block = runs[run].end; block-- > runs[run].begin;) {
        visit(block);
      }
    }
  }

  void find_finishing_additions(const Lane& lane) {
    std::vector<bool> owned(blocks_.size(), false);
    for (const Range& run : plan_.schedule.owned) {
      for (std::size_t block = run.begin; block < run.end; ++block) {
        owned[block] = true;
      }
    }
    const auto transfers = lane.transfers();
    for (std::size_t index = 0; index < transfers.size(); ++index) {
      if (transfers[index].action != Action::add) {
        continue;
      }
      for_each_block(lane, transfers[index], [&](std::size_t block) {
        if (owned[block]) {
          blocks_[block].finished_by = index;
        }
      });
    }
  }

  /// From the last round to the first: a promised block ends in the output, any other in scratch,
  /// and the write before one that happens while the block is lent goes to the other of the two.
  void choose_targets(const Lane& lane) {
    std::vector<Target> next(blocks_.size(), {Place::scratch, NextUse::none});
    for (std::size_t block = 0; block < next.size(); ++block) {
      if (is_promised_[block]) {
        next[block].place = Place::output;
      }
    }
    targets_.clear();
    for (std::size_t round = lane.rounds(); round-- > 0;) {
      choose_targets_of_round(lane, round, next);
    }
    std::reverse(targets_.begin(), targets_.end());
  }

  void choose_targets_of_round(const Lane& lane, std::size_t round, std::vector<Target>& next) {
    std::vector<bool> written(blocks_.size(), false);
    const auto transfers = lane.round(round);
    for (std::size_t k = transfers.size(); k-- > 0;) {
      if (transfers[k].action == Action::send) {
        continue;
      }
      const NextUse use = transfers[k].action == Action::add ? NextUse::read : NextUse::none;
      for_each_block_backwards(lane, transfers[k], [&](std::size_t block) {
        targets_.push_back(next[block]);
        next[block].use = use;
        written[block] = true;
      });
    }
    for (const Transfer& each : transfers) {
      if (each.action != Action::send) {
        continue;
      }
      for_each_block(lane, each, [&](std::size_t block) {
        next[block].use = NextUse::lend;
        if (written[block]) {
          next[block].place = other_place(next[block].place, is_promised_[block]);
          written[block] = false;
        }
      });
    }
  }

  PlannedLane lay_out(const Lane& lane) {
    PlannedLane planned;
    planned.transfers.reserve(lane.transfers().size());
    std::uint32_t sends = 0;
    auto target = targets_.begin();
    for (std::size_t round = 0; round < lane.rounds(); ++round) {
      for (const Transfer& each : lane.round(round)) {
        const std::size_t index = planned.transfers.size();
        PlannedTransfer transfer{
            each.action, each.peer, 0, static_cast<std::uint32_t>(planned.runs.size()), 0};
        sends += each.action == Action::send ? 1 : 0;
        for_each_block(lane, each, [&](std::size_t block) {
          if (each.action == Action::send) {
            lend(planned, transfer, block, sends);
          } else {
            receive(planned, transfer, block, index, *target++);
          }
        });
        planned.transfers.push_back(transfer);
      }
      planned.begins.push_back(planned.transfers.size());
    }
    return planned;
  }

  void lend(PlannedLane& planned,
            PlannedTransfer& transfer,
            std::size_t block,
            std::uint32_t sends) {
    const Place place = blocks_[block].now;
    blocks_[block].settled[static_cast<std::size_t>(place)] = sends;
    append(planned, transfer, {{block, block + 1}, place, place, false, NextUse::none});
  }

  void receive(PlannedLane& planned,
               PlannedTransfer& transfer,
               std::size_t block,
               std::size_t index,
               const Target& target) {
    const Place to = target.place;
    BlockPlace& place = blocks_[block];
    append(planned,
           transfer,
           {{block, block + 1}, place.now, to, place.finished_by == index, target.use});
    transfer.settled = std::max(transfer.settled, place.settled[static_cast<std::size_t>(to)]);
    place.now = to;
    is_in_scratch_[block] = is_in_scratch_[block] || to == Place::scratch;
    is_in_spare_[block] = is_in_spare_[block] || to == Place::spare;
  }

  /// Lengthens the last run of the transfer if `run` goes on where it ends.
  static void append(PlannedLane& planned, PlannedTransfer& transfer, const PlannedRun& run) {
    if (transfer.runs > 0) {
      PlannedRun& last = planned.runs.back();
      if (last.blocks.end == run.blocks.begin && last.from == run.from && last.to == run.to &&
          last.finishes == run.finishes && last.next == run.next) {
        last.blocks.end = run.blocks.end;
        return;
      }
    }
    planned.runs.push_back(run);
    transfer.runs += 1;
  }

  void note_moved(const Lane& lane) {
    for (const Transfer& each : lane.transfers()) {
      if (each.action != Action::send) {
        for_each_block(lane, each, [&](std::size_t block) { has_moved_[block] = true; });
      }
    }
  }

  void note_stays() {
    std::vector<bool> is_kept = is_promised_;
    for (std::size_t block = 0; block < is_kept.size(); ++block) {
      is_kept[block] = is_kept[block] && !has_moved_[block];
    }
    plan_.kept = runs_of(is_kept);
    plan_.stays = {held_blocks(plan_.request, plan_.schedule),
                   promised_blocks(plan_.request, plan_.schedule),
                   runs_of(is_in_scratch_),
                   runs_of(is_in_spare_)};
  }
};

}  // namespace

Plan make_plan(const Request& request, Schedule schedule) {
  ensure(request.peers == schedule.peers && request.rank == schedule.rank,
         "a plan is for the rank of its schedule",
         request.rank,
         schedule.rank);
  return Planner(request, std::move(schedule)).run();
}

}  // namespace starling::collective
