#include "starling/collective/pairwise.hpp"

namespace starling::collective {

Schedule pairwise_all_to_all(const Request& request) {
  const std::size_t n = request.peers;
  const std::size_t r = request.rank;
  Schedule schedule = schedule_of_parts(request);
  schedule.owned = {{r * n, (r + 1) * n}};
  Lane& lane = schedule.lanes.front();
  for (std::size_t t = 1; t < n; ++t) {
    const std::size_t to = (r + t) % n;
    const std::size_t from = (r + n - t) % n;
    lane.open_round();
    lane.transfer(Action::send, to, {Range{r * n + to, r * n + to + 1}});
    lane.transfer(Action::copy, from, {Range{from * n + r, from * n + r + 1}});
  }
  return schedule;
}

}  // namespace starling::collective
