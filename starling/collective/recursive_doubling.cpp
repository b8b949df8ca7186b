#include "starling/collective/recursive_doubling.hpp"

#include <bit>

#include "starling/collective/fold.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

constexpr Range kWhole{0, 1};

void exchange(Lane& lane, std::size_t partner) {
  lane.transfer(Action::send, partner, {kWhole});
  lane.transfer(Action::add, partner, {kWhole});
}

}  // namespace

Schedule recursive_doubling_all_reduce(const Request& request) {
  const std::size_t r = request.rank;
  const Fold fold(request.peers, Fold::Stays::odd);
  Schedule schedule = make_schedule(request.peers, r, 1);
  Lane& lane = schedule.lanes.front();
  const auto core = fold.core_rank(r);
  if (core) {
    schedule.owned = {kWhole};
  }

  if (fold.extra() > 0) {
    lane.open_round();
    if (!core) {
      lane.transfer(Action::send, r + 1, {kWhole});
    }
    if (core && fold.is_paired(r)) {
      lane.transfer(Action::add, r - 1, {kWhole});
    }
  }
  for (std::size_t distance = 1; distance < fold.core_size(); distance *= 2) {
    lane.open_round();
    if (core) {
      exchange(lane, fold.member(*core ^ distance));
    }
  }
  if (fold.extra() > 0) {
    lane.open_round();
    if (!core) {
      lane.transfer(Action::copy, r + 1, {kWhole});
    }
    if (core && fold.is_paired(r)) {
      lane.transfer(Action::send, r - 1, {kWhole});
    }
  }
  return schedule;
}

Schedule recursive_doubling_all_gather(const Request& request) {
  const std::size_t n = request.peers;
  const std::size_t r = request.rank;
  ensure(std::has_single_bit(n), "windows double up to a power of two", n);
  const auto window = [](std::size_t rank, std::size_t size) {
    return Range{rank & ~(size - 1), (rank & ~(size - 1)) + size};
  };
  Schedule schedule = schedule_of_parts(request);
  schedule.owned = {window(r, 1)};
  Lane& lane = schedule.lanes.front();
  for (std::size_t distance = 1; distance < n; distance *= 2) {
    const std::size_t partner = r ^ distance;
    lane.open_round();
    lane.transfer(Action::send, partner, {window(r, distance)});
    lane.transfer(Action::copy, partner, {window(partner, distance)});
  }
  return schedule;
}

Schedule recursive_halving_reduce_scatter(const Request& request) {
  return reversed(recursive_doubling_all_gather(request));
}

}  // namespace starling::collective
