// A network of libtorch as an Objective: parameters and gradients stay where the caller keeps them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "starling/model/architecture.hpp"
#include "starling/objective/objective.hpp"

namespace starling::model {

/// Mean cross-entropy of a network's outputs. The tensors of the network are views into the spans
/// of each call, so nothing is copied and any point can be evaluated; between calls only scratch
/// memory is kept. Random layers draw from the Random of the call alone. Objects are independent:
/// peers on threads use their own at the same time.
class NetworkObjective final : public objective::Objective {
 public:
  explicit NetworkObjective(Architecture architecture);

  [[nodiscard]] const Layout& layout() const override { return architecture_.layout; }

  void initialise(std::span<float> parameters, Random& random) override;

  /// @pre the batch is not empty and its data has the shape and the classes of the network
  double gradient(std::span<const float> point,
                  const objective::Batch& batch,
                  Random& random,
                  std::span<float> out) override;

  objective::Evaluation evaluate(std::span<const float> point,
                                 const objective::Batch& batch) override;

  [[nodiscard]] std::size_t outputs() const override { return architecture_.classes; }

  void predict(std::span<const float> point,
               const objective::Batch& batch,
               std::span<float> out) override;

  [[nodiscard]] double flops_per_sample() const override { return architecture_.flops_per_sample; }

 private:
  Architecture architecture_;
  std::vector<float> inputs_;         // of the batch at hand, reused
  std::vector<std::int64_t> labels_;  // likewise

  void check(std::span<const float> point, const objective::Batch& batch) const;
  void load_inputs(const objective::Batch& batch);
  void load_labels(const objective::Batch& batch);
};

}  // namespace starling::model
