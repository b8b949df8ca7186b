#include "starling/collective/hierarchical.hpp"

#include <utility>
#include <vector>

#include "starling/collective/circulant.hpp"
#include "starling/collective/dims.hpp"
#include "starling/collective/scatter_all_gather.hpp"
#include "starling/collective/torus.hpp"

namespace starling::collective {

namespace {

/// Every block of `schedule` becomes `factor` blocks of the whole group's cut.
Schedule refined(const Schedule& schedule, std::size_t factor) {
  const auto scaled = [factor](const Range& run) {
    return Range{run.begin * factor, run.end * factor};
  };
  Schedule fine = schedule;
  fine.cut = Cut::equal(schedule.blocks() * factor);
  for (Range& run : fine.owned) {
    run = scaled(run);
  }
  for (Lane& lane : fine.lanes) {
    const Lane coarse = std::exchange(lane, Lane());
    for (std::size_t round = 0; round < coarse.rounds(); ++round) {
      lane.open_round();
      for (const Transfer& each : coarse.round(round)) {
        std::vector<Range> runs;
        for (const Range& run : coarse.blocks(each)) {
          runs.push_back(scaled(run));
        }
        lane.transfer(each.action, each.peer, runs);
      }
    }
  }
  return fine;
}

class Levels {
 public:
  explicit Levels(const Request& request)
      : request_(request),
        dims_(torus_axes(request)),
        at_(coordinates(request.rank, dims_)),
        root_(coordinates(request.root, dims_)) {
    if (dims_.empty()) {
      dims_ = {1};
      at_ = {0};
      root_ = {0};
    }
  }

  [[nodiscard]] std::size_t count() const { return dims_.size(); }

  /// What this rank does when `build` runs in all groups of a level: those who differ in that
  /// coordinate alone, and are where the root is on all levels further in.
  [[nodiscard]] Schedule phase(std::size_t level, Schedule (*build)(const Request&)) const {
    std::vector<std::size_t> members;
    std::vector<std::size_t> at = at_;
    for (at[level] = 0; at[level] < dims_[level]; ++at[level]) {
      members.push_back(rank_at(at, dims_));
    }
    Request inside = request_;
    inside.peers = dims_[level];
    inside.rank = at_[level];
    inside.root = root_[level];
    const Schedule alone = refined(build(inside), request_.peers / dims_[level]);
    const Schedule among = embedded(alone, request_.peers, members);
    return takes_part(level) ? among : idle_as(among, request_.rank);
  }

 private:
  Request request_;
  std::vector<std::size_t> dims_;
  std::vector<std::size_t> at_;
  std::vector<std::size_t> root_;

  [[nodiscard]] bool takes_part(std::size_t level) const {
    for (std::size_t inner = level + 1; inner < dims_.size(); ++inner) {
      if (at_[inner] != root_[inner]) {
        return false;
      }
    }
    return true;
  }
};

/// `schedule` of the outermost level, then broadcasts from level to level.
Schedule then_inwards(const Levels& levels, Schedule schedule) {
  for (std::size_t level = 1; level < levels.count(); ++level) {
    schedule = joined(std::move(schedule), levels.phase(level, scatter_all_gather_broadcast));
  }
  return schedule;
}

/// Reductions from the innermost level out, then `schedule` of the outermost one, where the sums
/// become complete.
Schedule first_outwards(const Levels& levels, const Schedule& schedule) {
  Schedule all = schedule;
  all.lanes.assign(schedule.lanes.size(), Lane());
  for (std::size_t level = levels.count(); level-- > 1;) {
    all = joined(std::move(all), levels.phase(level, reduce_scatter_gather));
  }
  return joined(std::move(all), schedule);
}

}  // namespace

Schedule hierarchical_all_reduce(const Request& request) {
  Request unrooted = request;
  unrooted.root = 0;
  const Levels levels(unrooted);
  return then_inwards(levels, first_outwards(levels, levels.phase(0, circulant_all_reduce)));
}

Schedule hierarchical_broadcast(const Request& request) {
  const Levels levels(request);
  return then_inwards(levels, levels.phase(0, scatter_all_gather_broadcast));
}

Schedule hierarchical_reduce(const Request& request) {
  const Levels levels(request);
  return first_outwards(levels, levels.phase(0, reduce_scatter_gather));
}

}  // namespace starling::collective
