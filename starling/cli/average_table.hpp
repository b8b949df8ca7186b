// The result of an averaging experiment as a table for people.
#pragma once

#include <string>

#include "starling/trainer/averaging.hpp"

namespace starling::cli {

/// What was run, at most twenty of its rounds, and how many it took.
std::string average_table(const trainer::AveragingSummary& summary);

}  // namespace starling::cli
