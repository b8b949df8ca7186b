// Where in a vector the colors of a torus have their sub-blocks, and how these come to the ranks in
// whose parts they lie.
#pragma once

#include <cstddef>
#include <vector>

#include "starling/collective/schedule.hpp"
#include "starling/collective/torus_color.hpp"

namespace starling::collective {

/// A request for a torus, with what follows from it. Every color has a region of the vector, cut
/// into one sub-block a rank; the rank at position q of color c reduces and spreads sub-block q.
class TorusLayout {
 public:
  /// Every color c carries weights[c] of the vector.
  ///
  /// Layout::relaxed: region c is the c-th slice of the vector, so a run of sub-blocks lies in one
  /// piece, but in parts of other ranks. Layout::split_blocks: region c is the c-th piece of every
  /// part, sub-block q the one in the part of the rank at position q.
  /// @pre dims has no axis of extent 1 and holds request.peers; one weight a color, they sum to 1
  TorusLayout(Request request,
              std::vector<std::size_t> dims,
              std::vector<TorusColor> colors,
              const std::vector<double>& weights);

  [[nodiscard]] const Request& request() const noexcept { return request_; }

  [[nodiscard]] const std::vector<std::size_t>& dims() const noexcept { return dims_; }

  [[nodiscard]] const std::vector<TorusColor>& colors() const noexcept { return colors_; }

  /// A schedule with the cut and the parts of this layout and a lane for every color.
  [[nodiscard]] Schedule blank() const;

  /// The blocks of a run of sub-blocks.
  [[nodiscard]] std::vector<Range> blocks(std::size_t color, const Range& positions) const;

  /// The sub-blocks of this rank, one a color.
  [[nodiscard]] std::vector<Range> own_blocks() const;

  /// Relaxed order only, where ranks have parts: the round that brings this rank's sub-block of the
  /// color to those whose parts it lies in, piece by piece, and the pieces of its part here. At
  /// most one message a rank and color; if parts and regions are equal, as many as there are
  /// colors.
  void bring_to_parts(Lane& lane, std::size_t color) const;

  /// The same backwards in time: from the parts to the sub-blocks.
  void bring_from_parts(Lane& lane, std::size_t color) const;

 private:
  Request request_;
  std::vector<std::size_t> dims_;
  std::vector<TorusColor> colors_;
  Cut cut_ = Cut::equal(1);
  std::vector<std::size_t> parts_;       // see Schedule::parts
  std::vector<std::size_t> sub_blocks_;  // relaxed: sub-block c * peers + q begins at this block

  [[nodiscard]] bool needs_reordering() const;
  void lie_relaxed(const std::vector<double>& weights);
  void lie_split(const std::vector<double>& weights);

  /// A piece of a sub-block or part of this rank, and the other rank that it lies with.
  struct Piece {
    std::size_t rank = 0;
    Range blocks;
  };

  [[nodiscard]] std::vector<Piece> pieces_of_sub_block(std::size_t color) const;
  [[nodiscard]] std::vector<Piece> pieces_of_part(std::size_t color) const;
  static void add_round(Lane& lane,
                        const std::vector<Piece>& sent,
                        const std::vector<Piece>& received);
};

}  // namespace starling::collective
