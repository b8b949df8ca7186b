// How much of a vector every color of a torus with unequal axes carries.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// The shares of the vector that start on every axis; they sum to 1. Equal: 1/D each. Solved: W_c
/// such that the links of all axes carry the same, that is, load_k = sum over c of W_c * shares[k]
/// / (product of the extents before k in the order c, c+1, .., mod D) is equal for all k; 1/D each
/// if all axes are alike, or if the equations have no solution or one with a negative share.
///
/// Solved weights even out bytes, not time: a color uses one link of a rank at a time, so one that
/// carries more than its share ends later than all do with equal weights.
/// @param dims extents, all larger than 1
/// @param shares by axis: the part of a window that its busiest link carries while the window is
/// reduced along the axis; any common factor cancels
std::vector<double> axis_weights(ColorWeights kind,
                                 std::span<const std::size_t> dims,
                                 std::span<const double> shares);

/// shares[k] = 1 - 1/d_k: every chunk but one leaves by the same link.
std::vector<double> one_way_shares(std::span<const std::size_t> dims);

/// shares[k] = 2 floor(d_k/2) / d_k: half the chunks leave by either link, the larger half counts.
std::vector<double> half_way_shares(std::span<const std::size_t> dims);

}  // namespace starling::collective
