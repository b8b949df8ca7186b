#include "starling/collective/binary_tree.hpp"

#include <algorithm>

#include "starling/collective/segments.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

/// The round in which v > 0 receives its first segment: one after its parent did for a left child,
/// two for a right one. The root sends in rounds 0 and 1.
std::size_t first_round(std::size_t v) {
  std::size_t steps = 0;
  for (; v > 0; v = (v - 1) / 2) {
    steps += v % 2 == 1 ? 1 : 2;
  }
  return steps - 1;
}

/// The round in which the last of n ranks receives its first segment.
std::size_t latest_first_round(std::size_t n) {
  std::size_t latest = 0;
  for (std::size_t v = n / 2; v < n; ++v) {
    latest = std::max(latest, v == 0 ? 0 : first_round(v));
  }
  return latest;
}

}  // namespace

Schedule binary_tree_broadcast(const Request& request) {
  const std::size_t n = request.peers;
  ensure(request.root < n, "the root is a rank of the group", request.root, n);
  const std::size_t segments = segments_of(request.elements, request.segment);
  const std::size_t v = (request.rank + n - request.root) % n;
  const auto rank_of = [&](std::size_t position) { return (position + request.root) % n; };
  Schedule schedule = make_schedule(n, request.rank, segments);
  if (v == 0) {
    schedule.owned = {{0, segments}};
  }
  Lane& lane = schedule.lanes.front();
  const std::size_t rounds = n == 1 ? 0 : latest_first_round(n) + 2 * segments - 1;
  for (std::size_t round = 0; round < rounds; ++round) {
    lane.open_round();
    for (const std::size_t child : {2 * v + 1, 2 * v + 2}) {
      if (child >= n) {
        continue;
      }
      Beat{first_round(child), 2}.at(round, segments, [&](std::size_t segment) {
        lane.transfer(Action::send, rank_of(child), {Range{segment, segment + 1}});
      });
    }
    if (v > 0) {
      Beat{first_round(v), 2}.at(round, segments, [&](std::size_t segment) {
        lane.transfer(Action::copy, rank_of((v - 1) / 2), {Range{segment, segment + 1}});
      });
    }
  }
  return schedule;
}

Schedule binary_tree_reduce(const Request& request) {
  return reversed(binary_tree_broadcast(request));
}

}  // namespace starling::collective
