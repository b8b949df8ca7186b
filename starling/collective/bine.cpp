#include "starling/collective/bine.hpp"

#include <bit>

#include "starling/collective/negabinary.hpp"
#include "starling/collective/swing.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

Request on_a_ring(Request request) {
  ensure(std::has_single_bit(request.peers), "bine needs a power of two", request.peers);
  request.dims = {request.peers};
  request.colors = 1;
  request.layout = Layout::relaxed;
  return request;
}

}  // namespace

Schedule bine_broadcast(const Request& request) {
  const std::size_t n = request.peers;
  ensure(std::has_single_bit(n) && request.root < n,
         "bine needs a power of two and a root among the ranks",
         n,
         request.root);
  constexpr Range kWhole{0, 1};
  const std::size_t v = (request.rank + n - request.root) % n;
  const std::uint64_t digits = negabinary(v) & (n - 1);
  Schedule schedule = make_schedule(n, request.rank, 1);
  if (v == 0) {
    schedule.owned = {kWhole};
  }
  Lane& lane = schedule.lanes.front();
  for (std::size_t k = floor_log2(n); k-- > 0;) {
    const std::uint64_t low = (std::uint64_t{2} << k) - 1;
    const bool takes_part = (digits & low) == 0 || (digits & low) == low;
    lane.open_round();
    if (!takes_part) {
      continue;
    }
    const std::size_t partner = from_negabinary(digits ^ low) & (n - 1);
    const std::size_t rank = (partner + request.root) % n;
    // Who has the vector already was reached by a longer run of equal digits.
    const bool has_it = ((digits >> k) & 1U) == ((digits >> (k + 1)) & 1U);
    lane.transfer(has_it ? Action::send : Action::copy, rank, {kWhole});
  }
  return schedule;
}

Schedule bine_reduce(const Request& request) {
  return reversed(bine_broadcast(request));
}

Schedule bine_all_reduce(const Request& request) {
  return swing_all_reduce(on_a_ring(request));
}

Schedule bine_all_gather(const Request& request) {
  return swing_all_gather(on_a_ring(request));
}

Schedule bine_reduce_scatter(const Request& request) {
  return swing_reduce_scatter(on_a_ring(request));
}

}  // namespace starling::collective
