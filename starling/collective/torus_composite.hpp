// Operations on a torus, made of the two that only move data down from all colors at once:
// all-gather and scatter. The others are these run backwards, or one after the other.
#pragma once

#include <cstddef>

#include "starling/collective/schedule.hpp"
#include "starling/collective/torus_layout.hpp"

namespace starling::collective {

/// Adds to `lane` the rounds of this rank in one color, whose rings turn as given.
using TorusRounds = void (*)(Lane& lane, const TorusLayout& layout, std::size_t color, Turn turn);

/// How one family of torus algorithms moves a color.
struct TorusMoves {
  TorusRounds all_gather = nullptr;  ///< from every rank's sub-block to all of the region
  TorusRounds scatter = nullptr;     ///< from the root's region to every rank's sub-block
};

/// The schedule of layout.request().
///
/// An all-gather begins, a gather too, a reduce-scatter and a scatter end with the round that
/// brings sub-blocks from or to the parts they lie in. In an all-reduce (reduce-scatter,
/// all-gather), a reduce (reduce-scatter, gather) and a broadcast (scatter, all-gather) both halves
/// leave sub-blocks where they are, and there is no such round.
/// @pre `moves` has what the operation is made of
Schedule torus_schedule(const TorusLayout& layout, const TorusMoves& moves);

}  // namespace starling::collective
