#include "starling/collective/bruck.hpp"

#include <algorithm>
#include <vector>

namespace starling::collective {

namespace {

/// The parts that leave `rank` in the round of distance `d`: of every way with that bit, the one
/// that has come here. A way takes its short steps first.
std::vector<Range> leaving(std::size_t rank, std::size_t d, std::size_t n) {
  std::vector<Range> parts;
  for (std::size_t way = d; way < n; ++way) {
    if ((way & d) == 0) {
      continue;
    }
    const std::size_t source = (rank + n - (way & (d - 1))) % n;
    const std::size_t part = source * n + (source + way) % n;
    parts.push_back({part, part + 1});
  }
  return parts;
}

}  // namespace

Schedule bruck_all_gather(const Request& request) {
  const std::size_t n = request.peers;
  const std::size_t r = request.rank;
  Schedule schedule = schedule_of_parts(request);
  schedule.owned = {{r, r + 1}};
  Lane& lane = schedule.lanes.front();
  for (std::size_t d = 1; d < n; d *= 2) {
    const std::size_t count = std::min(d, n - d);
    const std::size_t above = (r + d) % n;
    lane.open_round();
    lane.transfer(Action::send, (r + n - d) % n, cyclic_run(r, count, n));
    lane.transfer(Action::copy, above, cyclic_run(above, count, n));
  }
  return schedule;
}

Schedule bruck_reduce_scatter(const Request& request) {
  return reversed(bruck_all_gather(request));
}

Schedule bruck_all_reduce(const Request& request) {
  return joined(bruck_reduce_scatter(request), bruck_all_gather(request));
}

Schedule bruck_all_to_all(const Request& request) {
  const std::size_t n = request.peers;
  const std::size_t r = request.rank;
  Schedule schedule = schedule_of_parts(request);
  schedule.owned = {{r * n, (r + 1) * n}};
  Lane& lane = schedule.lanes.front();
  for (std::size_t d = 1; d < n; d *= 2) {
    const std::size_t below = (r + n - d) % n;
    lane.open_round();
    lane.transfer(Action::send, (r + d) % n, leaving(r, d, n));
    lane.transfer(Action::copy, below, leaving(below, d, n));
  }
  return schedule;
}

}  // namespace starling::collective
