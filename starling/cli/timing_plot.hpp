// Timed group operations as a drawing.
#pragma once

#include <span>
#include <string>

#include "starling/trainer/timing.hpp"

namespace starling::cli {

/// An SVG file: time by size, both axes logarithmic, a line an algorithm with its name at the end
/// and its prediction dashed. Rows that took no time are left out.
std::string timing_plot(std::span<const trainer::TimingRow> rows, const std::string& title);

}  // namespace starling::cli
