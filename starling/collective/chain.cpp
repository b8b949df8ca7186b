#include "starling/collective/chain.hpp"

#include "starling/collective/segments.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {

Schedule chain_broadcast(const Request& request) {
  const std::size_t n = request.peers;
  ensure(request.root < n, "the root is a rank of the group", request.root, n);
  const std::size_t segments = segments_of(request.elements, request.segment);
  const std::size_t v = (request.rank + n - request.root) % n;
  Schedule schedule = make_schedule(n, request.rank, segments);
  if (v == 0) {
    schedule.owned = {{0, segments}};
  }
  Lane& lane = schedule.lanes.front();
  const std::size_t rounds = n == 1 ? 0 : n - 2 + segments;
  for (std::size_t round = 0; round < rounds; ++round) {
    lane.open_round();
    if (v + 1 < n) {
      Beat{v}.at(round, segments, [&](std::size_t segment) {
        lane.transfer(Action::send, (request.rank + 1) % n, {Range{segment, segment + 1}});
      });
    }
    if (v > 0) {
      Beat{v - 1}.at(round, segments, [&](std::size_t segment) {
        lane.transfer(Action::copy, (request.rank + n - 1) % n, {Range{segment, segment + 1}});
      });
    }
  }
  return schedule;
}

Schedule chain_reduce(const Request& request) {
  return reversed(chain_broadcast(request));
}

}  // namespace starling::collective
