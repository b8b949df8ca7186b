// Local steps: from a gradient to the direction that is subtracted.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace starling::optimizer {

/// One vector of an optimizer's state, e.g. "momentum".
struct StateVector {
  std::string name;
  std::span<float> values;
};

/// Turns gradients into directions d with x <- x - lr d. One per peer; its state is enumerable, so
/// that it can be stored, averaged and sent.
class Optimizer {
 public:
  Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer() = default;

  [[nodiscard]] virtual const std::string& name() const = 0;

  /// gradient <- direction, in place. `point` is where weight decay is taken.
  /// @pre point.size() == gradient.size() == the size given at construction
  virtual void direction(std::span<const float> point, std::span<float> gradient) = 0;

  /// The vectors of the state; writing through the spans changes the optimizer.
  [[nodiscard]] virtual std::vector<StateVector> state() = 0;

  /// Number of direction() calls so far (Adam's bias correction depends on it).
  [[nodiscard]] virtual std::uint64_t steps() const = 0;
  virtual void set_steps(std::uint64_t steps) = 0;
};

struct OptimizerOptions {
  std::string name = "sgd";   ///< sgd | momentum | nesterov | adam
  float momentum = 0.9F;      ///< momentum, nesterov
  float beta1 = 0.9F;         ///< adam
  float beta2 = 0.999F;       ///< adam
  float epsilon = 1e-8F;      ///< adam
  float weight_decay = 0.0F;  ///< L2, added to the gradient; adam: decoupled (AdamW)
};

/// @throws ConfigError for an unknown name or a value out of range
std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options, std::size_t parameters);

}  // namespace starling::optimizer
