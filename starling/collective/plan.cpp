#include "starling/collective/plan.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

constexpr std::size_t kNever = static_cast<std::size_t>(-1);

bool contains(const Range& run, std::size_t block) {
  return run.begin <= block && block < run.end;
}

Place other_place(Place place) {
  return place == Place::output ? Place::scratch : Place::output;
}

/// Where a block is now, and what was last lent of it.
struct BlockPlace {
  Place now = Place::input;
  std::array<std::uint32_t, 3> settled{};  // by place: number of the last send that reads it there
  std::size_t finished_by = kNever;        // index of the addition that completes its sum here
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
    promised_ = promised_blocks(request, plan_.schedule.blocks);
  }

  Plan run() {
    for (const Lane& lane : plan_.schedule.lanes) {
      blocks_.assign(plan_.schedule.blocks, {});
      find_finishing_additions(lane);
      choose_targets(lane);
      plan_.lanes.push_back(lay_out(lane));
      note_moved(lane);
    }
    keep_the_rest();
    return std::move(plan_);
  }

 private:
  Plan plan_;
  Range promised_;
  std::vector<BlockPlace> blocks_;
  std::vector<Target> targets_;  // of every block of every receive of the lane, in order
  std::vector<bool> moved_;

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
    for (std::size_t block = promised_.begin; block < promised_.end; ++block) {
      next[block].place = Place::output;
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
          next[block].place = other_place(next[block].place);
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
    ensure(to == Place::scratch || contains(promised_, block),
           "a block that is lent while it is added to has no second place here",
           block);
    BlockPlace& place = blocks_[block];
    append(planned,
           transfer,
           {{block, block + 1}, place.now, to, place.finished_by == index, target.use});
    transfer.settled = std::max(transfer.settled, place.settled[static_cast<std::size_t>(to)]);
    place.now = to;
    plan_.uses_scratch = plan_.uses_scratch || to == Place::scratch;
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
    moved_.resize(blocks_.size(), false);
    for (const Transfer& each : lane.transfers()) {
      if (each.action == Action::send) {
        continue;
      }
      for_each_block(lane, each, [&](std::size_t block) { moved_[block] = true; });
    }
  }

  void keep_the_rest() {
    for (std::size_t block = promised_.begin; block < promised_.end; ++block) {
      if (moved_[block]) {
        continue;
      }
      if (!plan_.kept.empty() && plan_.kept.back().end == block) {
        plan_.kept.back().end = block + 1;
      } else {
        plan_.kept.push_back({block, block + 1});
      }
    }
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
