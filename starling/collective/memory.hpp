// The memory of one call as the places and runs of a plan see it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "starling/collective/data_type.hpp"
#include "starling/collective/plan.hpp"
#include "starling/core/buffer.hpp"

namespace starling::collective {

/// What the caller brings: input is what this member holds at the start, one held run of blocks
/// after the other, output what it is promised. They do not overlap, or are the same and nothing is
/// written.
struct Operands {
  ConstValues input;
  Values output;
  std::size_t elements = 0;  ///< length of the whole vector
};

/// Finds a plan's runs of blocks in the caller's memory, the scratch and the spare. Kept from call
/// to call, it allocates only when a plan needs more than any before.
class Memory {
 public:
  /// For one call; what was set before is forgotten. @pre plan and operands outlive their use
  void set(const Plan& plan, const Operands& operands);

  /// Gives scratch and spare back.
  void clear() noexcept;

  [[nodiscard]] DataType type() const noexcept { return operands_.output.type(); }

  /// The elements of a run of blocks.
  [[nodiscard]] Range elements_of(const Range& blocks) const {
    return plan_->schedule.cut.elements(blocks, operands_.elements);
  }

  [[nodiscard]] std::size_t size_of(const Range& blocks) const {
    return elements_of(blocks).size();
  }

  /// A part of a run: `piece` counts its elements from its first one.
  [[nodiscard]] ConstValues read(Place place, const Range& blocks, const Range& piece) const;
  [[nodiscard]] Values write(Place place, const Range& blocks, const Range& piece) const;

  /// In bytes.
  [[nodiscard]] std::size_t bytes_of(std::span<const PlannedRun> runs) const;

  /// The longest beginning of the runs that lies in one piece.
  [[nodiscard]] std::span<const std::byte> in_one_piece(std::span<const PlannedRun> runs) const;

  /// A copy of the runs, one after the other.
  [[nodiscard]] Buffer pack(std::span<const PlannedRun> runs) const;

 private:
  /// A run of blocks that lies in one piece at a place.
  struct Stay {
    Range blocks;
    std::size_t begin = 0;   // its first element in the vector
    std::size_t offset = 0;  // and at the place
  };

  const Plan* plan_ = nullptr;
  Operands operands_;
  std::array<std::vector<Stay>, kPlaces> stays_;
  Buffer scratch_;
  Buffer spare_;
  std::span<std::byte> scratch_bytes_;
  std::span<std::byte> spare_bytes_;

  std::size_t lay_out(Place place);
  [[nodiscard]] std::size_t offset_of(Place place, const Range& blocks) const;
};

}  // namespace starling::collective
