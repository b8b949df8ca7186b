// What is minimised, as functions over one flat span of parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "starling/core/layout.hpp"
#include "starling/core/random.hpp"
#include "starling/objective/dataset.hpp"

namespace starling::objective {

/// The samples a gradient is taken of. Objectives without data (quadratic) get an empty one.
struct Batch {
  const Dataset* data = nullptr;
  std::span<const std::uint32_t> samples;
};

/// Sums over evaluated samples, so that parts can be added.
struct Evaluation {
  double loss_sum = 0.0;
  std::size_t correct = 0;
  std::size_t samples = 0;  ///< objectives without data count 1
  bool has_accuracy = false;

  [[nodiscard]] double loss() const { return loss_sum / static_cast<double>(samples); }

  /// Share of samples whose largest output is their label, 0 .. 1; NaN without labels.
  [[nodiscard]] double accuracy() const {
    return has_accuracy ? static_cast<double>(correct) / static_cast<double>(samples)
                        : std::numeric_limits<double>::quiet_NaN();
  }
};

/// The loss of one peer. Not shared between peers: an objective may keep scratch memory.
class Objective {
 public:
  Objective() = default;
  Objective(const Objective&) = delete;
  Objective& operator=(const Objective&) = delete;
  virtual ~Objective() = default;

  /// The tensors of the flat parameter vector.
  [[nodiscard]] virtual const Layout& layout() const = 0;

  /// Fills the parameters of a fresh model. The same stream gives the same bits.
  virtual void initialise(std::span<float> parameters, Random& random) = 0;

  /// Mean loss over the batch at `point`; its gradient goes to `out`. `random` feeds noise and
  /// random layers. Works at any point, not only at the model's own parameters.
  /// @pre point.size() == out.size() == layout().elements()
  virtual double gradient(std::span<const float> point,
                          const Batch& batch,
                          Random& random,
                          std::span<float> out) = 0;

  /// Loss and correct answers at `point`, random layers switched off. For objectives without data,
  /// the loss of the whole problem (the mean over all peers).
  virtual Evaluation evaluate(std::span<const float> point, const Batch& batch) = 0;

  /// Outputs per sample of predict(); 0 if there is nothing to predict.
  [[nodiscard]] virtual std::size_t outputs() const = 0;

  /// Raw outputs (logits), one sample after the other. @pre out.size() == samples * outputs()
  virtual void predict(std::span<const float> point, const Batch& batch, std::span<float> out) = 0;

  /// Floating-point operations of gradient() for one sample, for the default cost model of
  /// simulation.
  [[nodiscard]] virtual double flops_per_sample() const = 0;
};

}  // namespace starling::objective
