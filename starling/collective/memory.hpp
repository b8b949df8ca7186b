// The memory of one call as the places and runs of a plan see it.
#pragma once

#include <cstddef>
#include <span>

#include "starling/collective/plan.hpp"
#include "starling/core/buffer.hpp"

namespace starling::collective {

/// What the caller brings. Input and output may cover a part of the vector only (an all-gather
/// brings one block, a reduce-scatter takes one); they do not overlap, or are the same and nothing
/// is written.
struct Operands {
  std::span<const float> input;
  std::size_t input_begin = 0;  ///< element of the vector that is input[0]
  std::span<float> output;
  std::size_t output_begin = 0;
  std::size_t elements = 0;  ///< length of the vector
};

/// Finds a plan's runs of blocks in the caller's memory and the scratch.
class Memory {
 public:
  /// @param scratch as long as the vector if the plan uses it, else empty
  /// @pre schedule outlives this
  Memory(const Schedule& schedule, const Operands& operands, std::span<float> scratch)
      : schedule_(&schedule), operands_(operands), scratch_(scratch) {}

  /// The elements of a run of blocks.
  [[nodiscard]] Range elements_of(const Range& blocks) const {
    return collective::elements_of(*schedule_, blocks, operands_.elements);
  }

  [[nodiscard]] Range elements_of(const PlannedRun& run) const { return elements_of(run.blocks); }

  [[nodiscard]] std::span<const float> read(Place place, Range elements) const;
  [[nodiscard]] std::span<float> write(Place place, Range elements) const;

  [[nodiscard]] std::size_t size_of(std::span<const PlannedRun> runs) const;

  /// The longest beginning of the runs that lies in one piece.
  [[nodiscard]] std::span<const float> in_one_piece(std::span<const PlannedRun> runs) const;

  /// A copy of the runs, one after the other.
  [[nodiscard]] Buffer pack(std::span<const PlannedRun> runs) const;

 private:
  const Schedule* schedule_;
  Operands operands_;
  std::span<float> scratch_;
};

}  // namespace starling::collective
