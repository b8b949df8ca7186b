#include "starling/collective/direct.hpp"

#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

Range block(std::size_t index) {
  return {index, index + 1};
}

}  // namespace

// Ranks begin with different partners, so that nobody is sent n-1 messages at the same moment.
Schedule direct_all_gather(const Request& request) {
  const std::size_t n = request.peers;
  const std::size_t r = request.rank;
  Schedule schedule = schedule_of_parts(request);
  schedule.owned = {block(r)};
  Lane& lane = schedule.lanes.front();
  lane.open_round();
  for (std::size_t t = 1; t < n; ++t) {
    lane.transfer(Action::send, (r + t) % n, {block(r)});
  }
  for (std::size_t t = 1; t < n; ++t) {
    const std::size_t from = (r + n - t) % n;
    lane.transfer(Action::copy, from, {block(from)});
  }
  return schedule;
}

Schedule direct_reduce_scatter(const Request& request) {
  return reversed(direct_all_gather(request));
}

Schedule direct_all_reduce(const Request& request) {
  return joined(direct_reduce_scatter(request), direct_all_gather(request));
}

Schedule direct_scatter(const Request& request) {
  const std::size_t n = request.peers;
  const std::size_t r = request.rank;
  ensure(request.root < n, "the root is a rank of the group", request.root, n);
  Schedule schedule = schedule_of_parts(request);
  Lane& lane = schedule.lanes.front();
  lane.open_round();
  if (r != request.root) {
    lane.transfer(Action::copy, request.root, {block(r)});
    return schedule;
  }
  schedule.owned = {{0, n}};
  for (std::size_t t = 1; t < n; ++t) {
    const std::size_t to = (r + t) % n;
    lane.transfer(Action::send, to, {block(to)});
  }
  return schedule;
}

Schedule direct_gather(const Request& request) {
  Schedule schedule = reversed(direct_scatter(request), Backwards::copies);
  schedule.owned = {block(request.rank)};
  return schedule;
}

Schedule direct_all_to_all(const Request& request) {
  const std::size_t n = request.peers;
  const std::size_t r = request.rank;
  Schedule schedule = schedule_of_parts(request);
  schedule.owned = {{r * n, (r + 1) * n}};
  Lane& lane = schedule.lanes.front();
  lane.open_round();
  for (std::size_t t = 1; t < n; ++t) {
    const std::size_t to = (r + t) % n;
    lane.transfer(Action::send, to, {block(r * n + to)});
  }
  for (std::size_t t = 1; t < n; ++t) {
    const std::size_t from = (r + n - t) % n;
    lane.transfer(Action::copy, from, {block(from * n + r)});
  }
  return schedule;
}

}  // namespace starling::collective
