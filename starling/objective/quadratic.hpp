// A problem whose optimum, heterogeneity and noise are chosen: the yardstick of decentralized
// methods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "starling/objective/objective.hpp"

namespace starling::objective {

/// How the curvatures A_i of the peers differ.
enum class PeerCurvature : std::uint8_t {
  equal,  ///< A_i is the same for all peers
  graded  ///< A_i^2 is multiplied by (i + 1)^2 / n: the least-squares study of arXiv:2003.10422,
          ///< section 5
};

struct QuadraticOptions {
  std::size_t dimension = 50;
  double zeta =
      1.0;  ///< standard deviation of the peers' optima around their mean, each coordinate
  double sigma = 0.1;   ///< standard deviation of the noise of each element of a gradient
  double spread = 1.0;  ///< largest / smallest curvature over the coordinates, at least 1
  PeerCurvature curvature = PeerCurvature::equal;
  std::size_t peers = 1;
  std::size_t rank = 0;
  std::uint64_t seed = 1;
};

/// What all peers of a quadratic problem share: drawn once, read by every peer's objective.
struct QuadraticProblem {
  QuadraticOptions options;            ///< rank is that of no peer in particular
  std::vector<double> common;          ///< c
  std::vector<double> mean_draw;       ///< mean of z
  std::vector<double> mean_curvature;  ///< over peers
  std::vector<double> optimum;         ///< x*
  double minimum = 0.0;
};

/// Costs 2 peers * dimension draws, memory for a few times `dimension` numbers.
std::shared_ptr<const QuadraticProblem> draw_quadratic_problem(const QuadraticOptions& options);

/// f_i(x) = 1/2 sum_k a_ik (x_k - b_ik)^2, a_ik > 0: 1/2 ||A_i (x - b_i)||^2 with diagonal A_i^2 =
/// a_i. b_i = c + zeta (z_i - mean of z), c and z_i ~ N(0, I), drawn from the seed alike at every
/// peer; graded: zeta is divided by sqrt(a_i) (i + 1). a_ik runs geometrically from 1 to `spread`
/// over the coordinates. The gradient is exact plus N(0, sigma^2 I). The mean over peers has its
/// minimum at x* = sum_i a_i b_i / sum_i a_i.
class Quadratic final : public Objective {
 public:
  /// The problem is shared by the objectives of all peers.
  Quadratic(std::shared_ptr<const QuadraticProblem> problem, std::size_t rank);

  /// For one peer alone: draws the whole problem.
  explicit Quadratic(const QuadraticOptions& options)
      : Quadratic(draw_quadratic_problem(options), options.rank) {}

  [[nodiscard]] const Layout& layout() const override { return layout_; }

  /// The origin, for any stream.
  void initialise(std::span<float> parameters, Random& random) override;

  /// Returns f_i(point), without noise.
  double gradient(std::span<const float> point,
                  const Batch& batch,
                  Random& random,
                  std::span<float> out) override;

  Evaluation evaluate(std::span<const float> point, const Batch& batch) override;

  [[nodiscard]] std::size_t outputs() const override { return 0; }

  /// @throws ContractError: there is nothing to predict
  void predict(std::span<const float> point, const Batch& batch, std::span<float> out) override;

  [[nodiscard]] double flops_per_sample() const override;

  /// x*, where the mean of the losses of all peers is least.
  [[nodiscard]] std::span<const double> optimum() const { return problem_->optimum; }

  /// The least mean loss: evaluate() at x*.
  [[nodiscard]] double minimum() const { return problem_->minimum; }

 private:
  std::shared_ptr<const QuadraticProblem> problem_;  // with the objectives of the other peers
  Layout layout_;
  std::vector<double> curvature_;  // a_i of this peer
  std::vector<double> centre_;     // b_i of this peer
};

}  // namespace starling::objective
