// What a schedule costs on a modelled network.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// A flat network: any two ranks are equally far; a port carries one message out and one in at a
/// time. Or a torus: messages go along one axis after the other over links that they share.
struct LinkModel {
  double alpha_seconds = 20e-6;              ///< per message
  double beta_seconds_per_byte = 1e-9;       ///< one direction of one port, or of one link
  double gamma_seconds_per_byte = 0.125e-9;  ///< per reduced byte
  std::size_t ports = 1;                     ///< flat: lane c uses port c mod ports

  /// Extents of the torus that the ranks lie on, row-major, the last axis fastest; empty: flat.
  std::vector<std::size_t> torus;
  double hop_seconds = 0.0;  ///< torus: per link on the way
};

/// Time until the last rank is done with a vector of `elements` of so many bytes. A message starts
/// when both ends have finished their last round of the lane (and, on a flat network, their ports
/// are free); it takes alpha + hops * hop + bytes * beta, on a torus with the bytes that its
/// busiest link carries in that round. What is added takes bytes * gamma more, one addition at a
/// time per rank. Sums the rounds as the closed formulas do, but from the schedule itself.
/// @pre the schedules (by rank) pass the checker; a torus has a place for every rank
double predict(std::span<const Schedule> schedules,
               std::size_t elements,
               std::size_t element_bytes,
               const LinkModel& link);

/// The directed links of a torus that a message from `from` to `to` crosses, in order, as SimGrid
/// routes it: axis after axis, the last one first, the shorter way round; if both are equally long
/// forwards, unless it starts in the middle of the axis. A link is numbered (rank it leaves * axes
/// + axis) * 2, + 1 if it leads backwards.
std::vector<std::size_t> torus_route(std::size_t from,
                                     std::size_t to,
                                     std::span<const std::size_t> dims);

}  // namespace starling::collective
