// Timed group operations as lines for people, each as soon as it is known.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "starling/cli/settings.hpp"
#include "starling/collective/cost.hpp"
#include "starling/trainer/timing.hpp"

namespace starling::cli {

class BenchTable {
 public:
  /// @param algorithms whose rows will come, any number of times each
  BenchTable(collective::Operation operation, std::span<const std::string> algorithms);

  /// What the columns are called.
  [[nodiscard]] std::string heading() const;

  [[nodiscard]] std::string line(const trainer::TimingRow& row) const;

 private:
  std::size_t name_columns_;
};

/// "all-reduce (sum) of f32, 8 peers on threads".
std::string bench_title(const Settings& settings);

/// What the predictions rest on: "alpha 2.1 us, beta 0.2 ns/B (4.9 GB/s), gamma ..".
std::string link_text(const collective::LinkModel& link);

}  // namespace starling::cli
