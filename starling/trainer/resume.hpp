// Going on from a checkpoint: at the same place with the same peers, fairly with another number of
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "starling/objective/batches.hpp"
#include "starling/trainer/checkpoint.hpp"

namespace starling::trainer {

/// What the peers of a resumed run still visit in the epoch the checkpoint stands in.
struct RestOfEpoch {
  std::uint64_t epoch = 0;
  std::vector<std::vector<std::uint32_t>> samples;  ///< by rank in the resumed run
  std::uint64_t steps = 0;  ///< until the epoch ends, the same at every peer
};

struct DealOptions {
  std::size_t peers = 1;  ///< of the resumed run
  std::size_t batch_size = 32;
  objective::LastBatch policy = objective::LastBatch::join_out;
  std::uint64_t seed = 1;
};

/// Deals what the old peers have not visited in this epoch over the new ones, in an order drawn
/// from the seed and in parts that differ by at most one sample: every sample of the epoch is
/// visited once in the whole run (but for those the policy drops or repeats at the end of any
/// epoch). An epoch that was over leaves nothing.
/// @throws DataError if the old peers do not stand in the same epoch or a sample occurs twice
RestOfEpoch deal_rest_of_epoch(std::span<const DataState> old, const DealOptions& options);

/// Sets `batches` of the new peer `rank` to visit its part of `rest` and then the epochs that
/// follow.
void visit_rest(objective::Batches& batches, const RestOfEpoch& rest, std::size_t rank);

/// Sets `batches` of peer `rank` to where the checkpoint stands; `old` are all peers of it, as many
/// as now.
/// @throws DataError if the samples are not those the checkpoint speaks of
void restore(objective::Batches& batches,
             std::span<const DataState> old,
             std::size_t rank,
             const DealOptions& options);

/// For the checkpoint. @param dealt_epoch the epoch whose rest a resume has dealt, if one has
DataState data_state(const objective::Batches& batches, std::optional<std::uint64_t> dealt_epoch);

/// (1/n) sum_i x_i over the old peers, summed in double in rank order: where every new peer starts.
/// @pre old is not empty; load_checkpoint() has seen to equal sizes
std::vector<float> mean_parameters(std::span<const PeerState> old);

/// What happens to the data, for the log: "resumed 4 peers as 6: ...".
std::string describe(const RestOfEpoch& rest, std::size_t old_peers);

}  // namespace starling::trainer
