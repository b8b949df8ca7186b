// Direct exchange: everything goes straight where it belongs, all messages of a phase at once. One
// round a phase and the least bytes, but n-1 messages for a rank to handle in it.
#pragma once

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// Every rank sends its block to all others. One round, n-1 messages of a block.
Schedule direct_all_gather(const Request& request);

/// Every rank sends block j to rank j. One round, n-1 messages of a block.
Schedule direct_reduce_scatter(const Request& request);

/// Reduce-scatter, then all-gather: the butterfly of a volunteer group, without its losses. Two
/// rounds.
Schedule direct_all_reduce(const Request& request);

/// The root sends everybody's part. One round.
Schedule direct_scatter(const Request& request);

/// Everybody sends the root its part. One round.
Schedule direct_gather(const Request& request);

/// Every rank sends every other one its part. One round.
Schedule direct_all_to_all(const Request& request);

}  // namespace starling::collective
