// How a vector is cut into the blocks that a schedule moves.
#pragma once

#include <cstddef>
#include <vector>

#include "starling/core/range.hpp"

namespace starling::collective {

/// Blocks are contiguous, in order and cover the vector; empty ones are legal.
class Cut {
 public:
  /// `blocks` near-equal ones, see chunk().
  static Cut equal(std::size_t blocks);

  /// A region for every weight (its share of the vector), each cut into `parts` near-equal blocks:
  /// block c * parts + q is part q of region c. Equal weights give near-equal regions, others end
  /// at floor(elements * (w_0 + .. + w_c) + 1/2). @pre weights are not negative and sum to 1
  static Cut regions(std::vector<double> weights, std::size_t parts);

  /// Block b is [bounds[b], bounds[b + 1]): good for one length only.
  /// @pre bounds ascend from 0
  static Cut at(std::vector<std::size_t> bounds);

  /// Blocks of these lengths.
  static Cut of_lengths(const std::vector<std::size_t>& lengths);

  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

  /// The elements of a run of blocks in a vector of `elements`.
  /// @pre run.end <= blocks(); the length fits a cut made with at()
  [[nodiscard]] Range elements(const Range& run, std::size_t elements) const;

  /// The elements of one block.
  [[nodiscard]] Range elements_of_block(std::size_t block, std::size_t elements) const {
    return this->elements({block, block + 1}, elements);
  }

  /// Where all blocks begin, and the end of the last one.
  [[nodiscard]] std::vector<std::size_t> bounds(std::size_t elements) const;

  friend bool operator==(const Cut&, const Cut&) = default;

 private:
  std::size_t blocks_ = 1;
  std::size_t parts_ = 1;        // blocks in a region
  std::vector<double> upto_;     // by region: share of the vector before its end; empty: equal ones
  std::vector<std::size_t> at_;  // explicit bounds; empty: none

  [[nodiscard]] std::size_t begin_of(std::size_t block, std::size_t elements) const;
  [[nodiscard]] Range region(std::size_t index, std::size_t elements) const;
};

/// All bounds of both, ascending, each once: the blocks of the finest cut that both are made of.
std::vector<std::size_t> refined(const std::vector<std::size_t>& a,
                                 const std::vector<std::size_t>& b);

/// The blocks of `bounds` that make up `elements`. @pre it begins and ends at bounds
Range blocks_within(const std::vector<std::size_t>& bounds, const Range& elements);

}  // namespace starling::collective
