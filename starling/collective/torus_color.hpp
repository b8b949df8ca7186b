// The colors of a torus: orders in which slices of a vector go through its axes, so that all links
// of a rank are busy at once (Sack and Gropp, doi:10.1145/2686882).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "starling/core/range.hpp"

namespace starling::collective {

/// Which way round a ring: towards larger coordinates or smaller ones.
enum class Turn : std::uint8_t { forwards, backwards };

constexpr Turn opposite(Turn turn) {
  return turn == Turn::forwards ? Turn::backwards : Turn::forwards;
}

/// The coordinate `hops` further on a ring. @pre at < extent, hops <= extent
constexpr std::size_t turned(std::size_t at, std::size_t hops, Turn turn, std::size_t extent) {
  return (at + (turn == Turn::forwards ? hops : extent - hops)) % extent;
}

/// One slice's way through the torus: a ring along axes[0], then along axes[1], and so on.
struct TorusColor {
  std::vector<std::size_t> axes;  ///< o(c) = (a, a+1, .., a+D-1) mod D, with a = c mod D
  Turn turn = Turn::forwards;     ///< s(c): how its rings turn
};

/// The first `count` of the colors 0, D, 1, D+1, .., in ascending order: colors below D go
/// forwards, the others backwards. Without axes there is one color, with nothing to do.
/// @pre 1 <= count <= most_colors(axes)
std::vector<TorusColor> torus_colors(std::size_t axes, std::size_t count);

/// Two colors an axis; one for a torus of one rank.
constexpr std::size_t most_colors(std::size_t axes) {
  return axes == 0 ? 1 : 2 * axes;
}

/// Chunk `index` of the window in which `chunk` is number `at`; all are equally long.
constexpr Range sibling(const Range& chunk, std::size_t at, std::size_t index) {
  const std::size_t begin = chunk.begin + index * chunk.size() - at * chunk.size();
  return {begin, begin + chunk.size()};
}

/// The window of `extent` chunks in which `chunk` is number `at`.
constexpr Range window_around(const Range& chunk, std::size_t at, std::size_t extent) {
  return {sibling(chunk, at, 0).begin, sibling(chunk, at, extent - 1).end};
}

/// `dims` without the axes of extent 1, on which nothing moves: ranks keep their numbers.
std::vector<std::size_t> long_axes(std::span<const std::size_t> dims);

/// pos_c(rank): the coordinates read as one number in the order of the color's axes, the first one
/// most significant. A bijection from ranks to positions.
std::size_t position_of(std::size_t rank,
                        const TorusColor& color,
                        std::span<const std::size_t> dims);

/// The rank at a position.
std::size_t rank_at_position(std::size_t position,
                             const TorusColor& color,
                             std::span<const std::size_t> dims);

/// The rank one step along an axis, going round at the end.
std::size_t torus_neighbour(std::size_t rank,
                            std::size_t axis,
                            Turn turn,
                            std::span<const std::size_t> dims);

}  // namespace starling::collective
