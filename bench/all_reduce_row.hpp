// What the programs of the comparison with Open MPI share: arguments, repetitions, one row of
// output.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace starling::bench {

/// Calls timed together: about as long for every size.
inline std::size_t calls_for(std::size_t bytes) {
  constexpr std::size_t kBytesPerBatch = std::size_t{128} << 20U;
  return std::clamp<std::size_t>(kBytesPerBatch / bytes, 3, 5000);
}

inline constexpr int kBatches = 7;

/// Prints "seconds_median seconds_min" of one call.
inline void print_row(std::vector<double> seconds_per_call) {
  std::sort(seconds_per_call.begin(), seconds_per_call.end());
  std::printf(
      "%.9f %.9f\n", seconds_per_call[seconds_per_call.size() / 2], seconds_per_call.front());
}

}  // namespace starling::bench
