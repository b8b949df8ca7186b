// With whom, for averaging in groups: peers in the cells of a grid, a group a line of cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace starling::topology {

/// Extents of a grid, one an axis; cells are numbered row-major, the last axis fastest.
using GridExtents = std::vector<std::size_t>;

/// The most square grid of two axes with a cell for every peer, as few cells as that allows.
/// @pre peers >= 1
GridExtents square_grid(std::size_t peers);

/// "32x32" or "8x8x8", any number of axes.
/// @throws ConfigError if `text` is none, or has fewer cells than there are peers
GridExtents parse_grid(const std::string& text, std::size_t peers);

/// "32x32".
std::string to_string(const GridExtents& extents);

/// Peers on distinct cells of a grid; cells may be empty. Immutable and safe to share between
/// threads.
class GridGroups {
 public:
  /// Rank r in cell r: a full grid, or one whose last cells are empty.
  /// @pre 1 <= peers <= product of the extents, every extent >= 1
  static GridGroups in_order(GridExtents extents, std::size_t peers);

  /// Every rank in a cell of its own drawn from the seed (as in_order() if the grid is full: there
  /// the order changes nothing but names). @pre as in_order()
  static GridGroups scattered(GridExtents extents, std::size_t peers, std::uint64_t seed);

  [[nodiscard]] const GridExtents& extents() const noexcept { return extents_; }

  /// D, the rounds after which a full grid has the exact mean.
  [[nodiscard]] std::size_t axes() const noexcept { return extents_.size(); }

  [[nodiscard]] std::size_t peers() const noexcept { return cell_of_.size(); }

  [[nodiscard]] std::size_t cells() const noexcept { return rank_in_.size(); }

  [[nodiscard]] bool is_full() const noexcept { return peers() == cells(); }

  /// @pre rank < peers()
  [[nodiscard]] std::vector<std::size_t> coordinates(std::size_t rank) const;

  /// The ranks that differ from `rank` in no coordinate but `axis`, itself among them, by that
  /// coordinate. @pre rank < peers(), axis < axes()
  [[nodiscard]] std::vector<std::size_t> line(std::size_t rank, std::size_t axis) const;

 private:
  GridGroups(GridExtents extents, std::vector<std::size_t> cell_of);

  GridExtents extents_;
  std::vector<std::size_t> cell_of_;  // by rank
  std::vector<std::size_t> rank_in_;  // by cell; peers() if it is empty
};

}  // namespace starling::topology
