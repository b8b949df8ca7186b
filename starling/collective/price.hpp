// The best algorithm by the cost model for every length at once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "starling/collective/choose.hpp"
#include "starling/collective/cost.hpp"
#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// What an algorithm costs on a network: seconds = fixed + per_byte * bytes, from the predictions
/// for an empty and a very long vector.
struct Price {
  std::string algorithm;
  double fixed = 0.0;
  double per_byte = 0.0;

  [[nodiscard]] double of(std::size_t bytes) const {
    return fixed + per_byte * static_cast<double>(bytes);
  }
};

/// The prices of all algorithms that offer `operation` to so many peers, leave the same bits
/// everywhere and do not cut the vector into segments. Takes schedules of all ranks: milliseconds
/// for tens of peers, seconds for hundreds.
std::vector<Price> prices(Operation operation, std::size_t peers, const LinkModel& link);

/// The cheapest one by length, for Selection::measured.
std::vector<MeasuredChoice> cheapest(Operation operation,
                                     std::size_t peers,
                                     const std::vector<Price>& prices);

/// `link` with the cheapest algorithms of the operations that are asked for most, all-reduce,
/// broadcast, reduce, all-gather and reduce-scatter.
Selection priced_selection(std::size_t peers, const LinkModel& link);

}  // namespace starling::collective
