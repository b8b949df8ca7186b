#include "starling/collective/scatter_all_gather.hpp"

#include "starling/collective/binomial.hpp"
#include "starling/collective/bruck.hpp"
#include "starling/collective/circulant.hpp"
#include "starling/collective/ring.hpp"

namespace starling::collective {

Schedule scatter_all_gather_broadcast(const Request& request) {
  return joined(binomial_scatter(request), bruck_all_gather(request));
}

Schedule reduce_scatter_gather(const Request& request) {
  return joined(circulant_reduce_scatter(request), binomial_gather(request));
}

Schedule scatter_ring_broadcast(const Request& request) {
  return joined(binomial_scatter(request), ring_all_gather(request));
}

Schedule ring_gather_reduce(const Request& request) {
  return joined(ring_reduce_scatter(request), binomial_gather(request));
}

}  // namespace starling::collective
