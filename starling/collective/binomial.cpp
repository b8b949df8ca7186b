#include "starling/collective/binomial.hpp"

#include <algorithm>

#include "starling/core/ensure.hpp"

namespace starling::collective {

Schedule binomial_broadcast(const Request& request) {
  const std::size_t n = request.peers;
  ensure(request.root < n, "the root is a rank of the group", request.root, n);
  constexpr Range kWhole{0, 1};
  const std::size_t v = (request.rank + n - request.root) % n;
  const auto rank_of = [&](std::size_t position) { return (position + request.root) % n; };
  Schedule schedule = make_schedule(n, request.rank, 1);
  if (v == 0) {
    schedule.owned = {kWhole};
  }
  Lane& lane = schedule.lanes.front();
  for (std::size_t reach = 1; reach < n; reach *= 2) {
    lane.open_round();
    if (v < reach && v + reach < n) {
      lane.transfer(Action::send, rank_of(v + reach), {kWhole});
    }
    if (v >= reach && v < 2 * reach) {
      lane.transfer(Action::copy, rank_of(v - reach), {kWhole});
    }
  }
  return schedule;
}

Schedule binomial_reduce(const Request& request) {
  return reversed(binomial_broadcast(request));
}

Schedule binomial_scatter(const Request& request) {
  const std::size_t n = request.peers;
  ensure(request.root < n, "the root is a rank of the group", request.root, n);
  const std::size_t v = (request.rank + n - request.root) % n;
  const auto rank_of = [&](std::size_t position) { return (position + request.root) % n; };
  const auto parts = [&](std::size_t first, std::size_t reach) {
    return cyclic_run(rank_of(first), std::min(reach, n - first), n);
  };
  Schedule schedule = schedule_of_parts(request);
  if (v == 0) {
    schedule.owned = {{0, n}};
  }
  Lane& lane = schedule.lanes.front();
  for (std::size_t k = ceil_log2(n); k-- > 0;) {
    const std::size_t reach = std::size_t{1} << k;
    lane.open_round();
    if (v % (2 * reach) == 0 && v + reach < n) {
      lane.transfer(Action::send, rank_of(v + reach), parts(v + reach, reach));
    }
    if (v % (2 * reach) == reach) {
      lane.transfer(Action::copy, rank_of(v - reach), parts(v, reach));
    }
  }
  return schedule;
}

Schedule binomial_gather(const Request& request) {
  Schedule schedule = reversed(binomial_scatter(request), Backwards::copies);
  schedule.owned = {{request.rank, request.rank + 1}};
  return schedule;
}

}  // namespace starling::collective
