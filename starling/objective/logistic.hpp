// Logistic regression, binary and over several classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "starling/objective/objective.hpp"

namespace starling::objective {

struct LogisticOptions {
  std::size_t features = 1;
  std::size_t classes = 2;
  bool bias = false;
  float l2 = 0.0F;
};

/// Two classes, labels y = +1 (class 1) and -1 (class 0), one weight vector:
///   f(w) = 1/B sum_b ln(1 + exp(-y_b (w^T h_b + bias))) + l2/2 ||w||^2.
/// More classes, one weight vector each: f(W) = 1/B sum_b -ln softmax(W h_b + bias)_{y_b} + l2/2
/// ||W||^2. The bias is not pulled to zero. Both are convex; gradients are exact.
class Logistic final : public Objective {
 public:
  explicit Logistic(const LogisticOptions& options);

  [[nodiscard]] const Layout& layout() const override { return layout_; }

  /// The origin, for any stream: the problem is convex, and all classes start with equal odds.
  void initialise(std::span<float> parameters, Random& random) override;

  /// @pre at least one sample
  double gradient(std::span<const float> point,
                  const Batch& batch,
                  Random& random,
                  std::span<float> out) override;

  /// The loss includes the L2 term, as in gradient(). Works in chunks: memory does not grow with
  /// the batch.
  Evaluation evaluate(std::span<const float> point, const Batch& batch) override;

  /// One output a class. Two classes: 0 and w^T h + bias, whose softmax is the model.
  [[nodiscard]] std::size_t outputs() const override { return options_.classes; }

  void predict(std::span<const float> point, const Batch& batch, std::span<float> out) override;

  [[nodiscard]] double flops_per_sample() const override;

 private:
  LogisticOptions options_;
  std::size_t rows_;  // weight vectors: 1 for two classes
  Layout layout_;
  std::vector<float> features_;  // of the chunk or batch last gathered
  std::vector<float> outputs_;   // rows_ a sample: logits, then loss derivatives

  [[nodiscard]] std::span<const float> weights(std::span<const float> point) const;
  [[nodiscard]] std::span<const float> bias(std::span<const float> point) const;
  [[nodiscard]] double penalty(std::span<const float> point) const;
  void check(std::span<const float> point, const Batch& batch) const;
  void compute_logits(std::span<const float> point, const Batch& batch);
  void copy_logits(std::span<float> out) const;
  double logits_to_derivatives(const Batch& batch);
  void evaluate_chunk(std::span<const float> point, const Batch& chunk, Evaluation& total);
};

}  // namespace starling::objective
