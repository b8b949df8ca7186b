// Who Swing's partners are (De Sensi, Bonato, Saam, Hoefler, NSDI 2024, arXiv:2401.09356): on a
// ring they swing to and fro at distances 1, 1, 3, 5, 11, .., so that bytes that halve travel ways
// that less than double.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "starling/collective/gather_pattern.hpp"
#include "starling/collective/torus_color.hpp"

namespace starling::collective {

/// rho(s) = sum over i = 0..s of (-2)^i = 1, -1, 3, -5, 11, .. @pre s < 60
std::ptrdiff_t swing_distance(std::size_t step);

/// pi(r, s) = r + rho(s) for even r, r - rho(s) for odd r, mod n. @pre rank < peers
std::size_t swing_peer(std::size_t rank, std::size_t step, std::size_t peers);

/// nu(r), the number under which rank r of a ring of 2^L owns a block such that every message is
/// one run: nu(r) and nu(pi(r, s)) differ in bit L-1-s and in lower ones (negabinary numbers, from
/// Bine trees, arXiv:2508.17311). @pre peers is a power of two
std::size_t swing_number(std::size_t rank, std::size_t peers);

/// Whether Swing's messages reach everybody on a ring: for every even n, and most odd ones.
bool swing_reaches_all(std::size_t peers);

/// One slice of the vector on a torus: steps visit the axes of its color cyclically, an axis of
/// extent d ceil(log2 d) times; if the color turns backwards, coordinates are mirrored. So 2D
/// colors use all links at once.
class SwingColor {
 public:
  /// @pre every extent >= 2; the color has as many axes
  SwingColor(std::vector<std::size_t> dims, const TorusColor& color);

  [[nodiscard]] std::size_t peers() const { return peers_; }

  [[nodiscard]] std::size_t steps() const { return steps_.size(); }

  [[nodiscard]] std::size_t peer(std::size_t rank, std::size_t step) const;

  /// The far steps first, as an all-gather needs them: the messages are small then.
  [[nodiscard]] GatherPattern far_first() const;

  /// All extents are powers of two: then numbers exist that make every message one run.
  [[nodiscard]] bool has_numbers() const;

  /// Of ranks that are told apart by steps 0..s, number() has different s+1 leading bits. @pre
  /// has_numbers()
  [[nodiscard]] std::size_t number(std::size_t rank) const;

 private:
  struct Step {
    std::size_t axis;
    std::size_t on_axis;  // the how-manieth on it
  };

  std::vector<std::size_t> dims_;
  std::vector<std::size_t> strides_;  // how ranks grow along an axis
  std::size_t peers_ = 1;
  bool is_mirrored_ = false;
  std::vector<Step> steps_;

  [[nodiscard]] std::size_t coordinate(std::size_t rank, std::size_t axis) const;

  /// The coordinate of the peer of who is at a coordinate.
  [[nodiscard]] std::size_t target(std::size_t at, const Step& step) const;
};

/// If more colors are wanted than a torus with `axes` has.
std::optional<std::string> swing_colors_objection(std::size_t axes, std::size_t wanted);

}  // namespace starling::collective
