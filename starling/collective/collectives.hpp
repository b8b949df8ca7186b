// Exact group operations. Every member calls the same operation with the same sizes and options;
// all get the same bits, or all get PeerLost with one culprit and their inputs are as they were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "starling/core/time.hpp"
#include "starling/peer/group.hpp"

namespace starling::collective {

enum class Reduction : std::uint8_t { sum, mean, min, max };

const char* to_string(Reduction reduction) noexcept;

struct CollectiveOptions {
  std::string algorithm =
      "auto";               ///< a name of `starling list collectives`; auto: choose.cpp decides
  Deadline deadline{};      ///< for the whole operation
  std::uint64_t round = 0;  ///< step or round of the caller; members that differ are refused
};

/// output <- reduction over all members' inputs, at every member. output may not overlap input.
/// @throws PeerLost  @pre input.size() == output.size()
void all_reduce(const Group& group,
                std::span<const float> input,
                std::span<float> output,
                Reduction reduction,
                const CollectiveOptions& options);

/// As above, in place: `values` changes only if the whole operation succeeds.
void all_reduce(const Group& group,
                std::span<float> values,
                Reduction reduction,
                const CollectiveOptions& options);

/// values at every member <- values of `root`.
void broadcast(const Group& group,
               std::span<float> values,
               std::size_t root,
               const CollectiveOptions& options);

/// output at `root` <- sum of all inputs; output is untouched (and may be empty) elsewhere.
void reduce(const Group& group,
            std::span<const float> input,
            std::span<float> output,
            std::size_t root,
            const CollectiveOptions& options);

/// output <- the inputs of all members, by rank. @pre output.size() == size * input.size()
void all_gather(const Group& group,
                std::span<const float> input,
                std::span<float> output,
                const CollectiveOptions& options);

/// output <- part `rank` (see chunk()) of the sum of all inputs.
/// @pre output.size() == chunk(input.size(), group.size(), group.rank()).size()
void reduce_scatter(const Group& group,
                    std::span<const float> input,
                    std::span<float> output,
                    const CollectiveOptions& options);

/// Returns when every member has entered.
void barrier(const Group& group, const CollectiveOptions& options);

}  // namespace starling::collective
