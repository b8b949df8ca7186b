// The result of a run as a table for people.
#pragma once

#include <string>

#include "starling/trainer/summary.hpp"

namespace starling::cli {

std::string summary_table(const trainer::Summary& summary);

}  // namespace starling::cli
