// The learning rate as a function of the step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace starling::optimizer {

struct LearningRateOptions {
  float base = 0.05F;
  std::string schedule = "constant";  ///< constant | step | cosine
  std::uint64_t total_steps = 0;      ///< cosine: where the curve ends
  std::vector<double> drop_at{};  ///< step: fractions of total_steps (0..1) or absolute steps (> 1)
  double drop_factor = 0.1;       ///< step: multiplied at each drop
  double final_fraction = 0.0;    ///< cosine: rate / base reached at total_steps
  std::uint64_t warmup_steps =
      0;  ///< W: step s < W takes (s+1)/W of the rate; cosine starts after W
};

/// True if the rate of a step depends on total_steps.
bool follows_length(const LearningRateOptions& options);

/// A pure function of the step. @throws ConfigError for values out of range
class LearningRate {
 public:
  explicit LearningRate(const LearningRateOptions& options);

  /// Rate of the local step number `step`, counted from 0.
  [[nodiscard]] float at(std::uint64_t step) const;

 private:
  /// Rate / base of a schedule, warm-up left aside.
  using Shape = double (*)(const LearningRateOptions& options, std::uint64_t step);

  LearningRateOptions options_;
  Shape shape_;
};

}  // namespace starling::optimizer
