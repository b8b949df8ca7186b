#include "starling/collective/ring.hpp"

namespace starling::collective {

namespace {

Range block(std::size_t index) {
  return {index, index + 1};
}

/// The all-gather whose blocks travel by `stride` ranks a round: 1 upwards, n-1 downwards.
Schedule gather_by(const Request& request, std::size_t stride) {
  const std::size_t n = request.peers;
  const std::size_t r = request.rank;
  const std::size_t back = n - stride;
  Schedule schedule = schedule_of_parts(request);
  schedule.owned = {block(r)};
  Lane& lane = schedule.lanes.front();
  for (std::size_t t = 0; t + 1 < n; ++t) {
    lane.open_round();
    lane.transfer(Action::send, (r + stride) % n, {block((r + t * back) % n)});
    lane.transfer(Action::copy, (r + back) % n, {block((r + (t + 1) * back) % n)});
  }
  return schedule;
}

}  // namespace

Schedule ring_all_gather(const Request& request) {
  return gather_by(request, 1);
}

// The reversal turns the direction of travel, so it starts from the all-gather that goes down.
Schedule ring_reduce_scatter(const Request& request) {
  return reversed(gather_by(request, request.peers - 1));
}

Schedule ring_all_reduce(const Request& request) {
  return joined(ring_reduce_scatter(request), ring_all_gather(request));
}

}  // namespace starling::collective
