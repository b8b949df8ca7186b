// What a schedule costs on a modelled network.
#pragma once

#include <cstddef>
#include <span>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// A flat network: any two ranks are equally far; a port carries one message out and one in at a
/// time.
struct LinkModel {
  double alpha_seconds = 20e-6;              ///< per message
  double beta_seconds_per_byte = 1e-9;       ///< one direction of one port
  double gamma_seconds_per_byte = 0.125e-9;  ///< per reduced byte
  std::size_t ports = 1;                     ///< lane c uses port c mod ports
};

/// Time until the last rank is done with a vector of `elements` floats. A message starts when both
/// ends have finished their last round of the lane and their ports are free; it takes alpha + bytes
/// * beta; what is added takes bytes * gamma more, one addition at a time per rank. Sums the rounds
/// as the closed formulas do, but from the schedule itself. @pre the schedules (by rank) pass the
/// checker
double predict(std::span<const Schedule> schedules, std::size_t elements, const LinkModel& link);

}  // namespace starling::collective
