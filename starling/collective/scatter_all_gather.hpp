// Broadcasts and reductions of long vectors in two halves: a tree that scatters or gathers, and an
// exchange among all (van de Geijn; MPI libraries call it scatter-allgather).
#pragma once

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// Binomial scatter, then Bruck's all-gather. 2 ceil(log2 n) rounds; the time of 2(n-1)/n vectors.
Schedule scatter_all_gather_broadcast(const Request& request);

/// Circulant reduce-scatter, then binomial gather. 2 ceil(log2 n) rounds; 2(n-1)/n vectors.
Schedule reduce_scatter_gather(const Request& request);

/// Binomial scatter, then the all-gather of the ring: neighbours only. ceil(log2 n) + n-1 rounds.
Schedule scatter_ring_broadcast(const Request& request);

/// The reduce-scatter of the ring, then binomial gather.
Schedule ring_gather_reduce(const Request& request);

}  // namespace starling::collective
