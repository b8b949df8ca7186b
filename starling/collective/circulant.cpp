#include "starling/collective/circulant.hpp"

#include <vector>

namespace starling::collective {

Schedule circulant_all_gather(const Request& request) {
  const std::size_t n = request.peers;
  const std::size_t r = request.rank;
  Schedule schedule = schedule_of_parts(request);
  schedule.owned = {{r, r + 1}};
  std::vector<std::size_t> sizes{n};
  while (sizes.back() > 1) {
    sizes.push_back((sizes.back() + 1) / 2);
  }

  Lane& lane = schedule.lanes.front();
  for (std::size_t k = sizes.size() - 1; k-- > 0;) {
    const std::size_t have = sizes[k + 1];
    const std::size_t more = sizes[k] - have;
    const std::size_t above = (r + have) % n;
    lane.open_round();
    lane.transfer(Action::send, (r + n - have) % n, cyclic_run(r, more, n));
    lane.transfer(Action::copy, above, cyclic_run(above, more, n));
  }
  return schedule;
}

Schedule circulant_reduce_scatter(const Request& request) {
  return reversed(circulant_all_gather(request));
}

Schedule circulant_all_reduce(const Request& request) {
  return joined(circulant_reduce_scatter(request), circulant_all_gather(request));
}

}  // namespace starling::collective
