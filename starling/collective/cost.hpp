// What a schedule costs on a modelled network.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// A flat network, on which any two ranks are equally far: a message goes out by a port of its
/// sender and in by one of its receiver. Or a torus: it goes along one axis after the other.
/// Messages that are on a port or link at the same time share it.
struct LinkModel {
  double alpha_seconds = 20e-6;              ///< per message; its ports or links are taken
  double beta_seconds_per_byte = 1e-9;       ///< one direction of one port, or of one link
  double gamma_seconds_per_byte = 0.125e-9;  ///< per reduced byte
  std::size_t ports = 1;                     ///< flat: lane c uses port c mod ports

  /// Extents of the torus that the ranks lie on, row-major, the last axis fastest; empty: flat.
  std::vector<std::size_t> torus;

  /// On the way before anything is taken: per link of a torus, on a flat network once.
  double hop_seconds = 0.0;

  /// What a message between neighbours takes at least.
  [[nodiscard]] double round_seconds() const { return alpha_seconds + hop_seconds; }
};

/// Time until the last rank is done with a vector of `elements` of so many bytes, or some time
/// after `give_up_after`, if that comes first. Plays the schedules as the executor runs them: a
/// rank opens a round of a lane when it has read what the earlier ones brought, as far as
/// rounds_to_be_over() lets it. A message takes hops * hop, then alpha + bytes * beta, longer if it
/// shares a link (SharedLinks). What is added takes bytes * gamma more, one addition at a time per
/// rank. In schedules whose rounds go in step that is the sum of the closed formulas.
///
/// Cost: about a microsecond a message where none shares a link, else messages times rounds.
/// @pre the schedules (by rank) pass the checker; a torus has a place for every rank
double predict(std::span<const Schedule> schedules,
               std::size_t elements,
               std::size_t element_bytes,
               const LinkModel& link,
               double give_up_after = std::numeric_limits<double>::infinity());

/// How long the link or port is taken that is taken longest: no prediction is below that.
/// @pre as for predict()
double busiest_link(std::span<const Schedule> schedules,
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
