#include "starling/collective/halving_doubling.hpp"

#include <vector>

#include "starling/collective/fold.hpp"

namespace starling::collective {

namespace {

Range left_half(Range window) {
  return {window.begin, window.begin + window.size() / 2};
}

Range right_half(Range window) {
  return {window.begin + window.size() / 2, window.end};
}

/// windows[k] is what core rank `v` keeps after k halvings: the left half if bit k of v is 0.
std::vector<Range> windows_of(std::size_t v, std::size_t core_size) {
  std::vector<Range> windows{{0, core_size}};
  for (std::size_t bit = 1; bit < core_size; bit *= 2) {
    const Range window = windows.back();
    windows.push_back((v & bit) == 0 ? left_half(window) : right_half(window));
  }
  return windows;
}

/// The middle for 2^L ranks: whoever keeps a half gets it from the partner, who gets the other.
void halve_and_double(Lane& lane, const Fold& fold, std::size_t v) {
  const std::vector<Range> windows = windows_of(v, fold.core_size());
  const auto others = [&](std::size_t k) {
    const Range whole = windows[k];
    return windows[k + 1] == left_half(whole) ? right_half(whole) : left_half(whole);
  };
  for (std::size_t k = 0; k + 1 < windows.size(); ++k) {
    const std::size_t partner = fold.member(v ^ (std::size_t{1} << k));
    lane.open_round();
    lane.transfer(Action::send, partner, {others(k)});
    lane.transfer(Action::add, partner, {windows[k + 1]});
  }
  for (std::size_t k = windows.size() - 1; k-- > 0;) {
    const std::size_t partner = fold.member(v ^ (std::size_t{1} << k));
    lane.open_round();
    lane.transfer(Action::send, partner, {windows[k + 1]});
    lane.transfer(Action::copy, partner, {others(k)});
  }
}

/// Even and odd of a pair add half of each other's vector; then the odd one hands its half over.
void fold_in(Lane& lane, std::size_t rank, Range whole) {
  const bool even = rank % 2 == 0;
  const std::size_t partner = even ? rank + 1 : rank - 1;
  const Range mine = even ? left_half(whole) : right_half(whole);
  const Range theirs = even ? right_half(whole) : left_half(whole);
  lane.open_round();
  lane.transfer(Action::send, partner, {theirs});
  lane.transfer(Action::add, partner, {mine});
  lane.open_round();
  lane.transfer(even ? Action::copy : Action::send, partner, {right_half(whole)});
}

}  // namespace

Schedule halving_doubling_all_reduce(const Request& request) {
  const std::size_t r = request.rank;
  const Fold fold(request.peers, Fold::Stays::even);
  const Range whole{0, fold.core_size()};
  Schedule schedule = make_schedule(request.peers, r, fold.core_size());
  Lane& lane = schedule.lanes.front();
  const auto core = fold.core_rank(r);

  if (fold.is_paired(r)) {
    fold_in(lane, r, whole);
  } else if (fold.extra() > 0) {
    lane.open_round();
    lane.open_round();
  }
  if (core) {
    schedule.owned = {windows_of(*core, fold.core_size()).back()};
    halve_and_double(lane, fold, *core);
  } else {
    for (std::size_t k = 0; k < 2 * floor_log2(fold.core_size()); ++k) {
      lane.open_round();
    }
  }
  if (fold.extra() > 0) {
    lane.open_round();
    if (fold.is_paired(r)) {
      lane.transfer(core ? Action::send : Action::copy, core ? r + 1 : r - 1, {whole});
    }
  }
  return schedule;
}

}  // namespace starling::collective
