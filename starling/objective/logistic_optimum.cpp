#include "starling/objective/logistic_optimum.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"

namespace starling::objective {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Loss, gradient and curvature at one point.
struct Expansion {
  double loss = 0.0;
  VectorXd gradient;
  MatrixXd hessian;
};

class Problem {
 public:
  Problem(const Dataset& data, const LogisticOptions& options) : data_(data), options_(options) {
    weights_ = static_cast<Eigen::Index>(options.features);
    size_ = weights_ + (options.bias ? 1 : 0);
  }

  [[nodiscard]] Eigen::Index size() const { return size_; }

  /// What a loss may be off by, relative: terms are added one after the other.
  [[nodiscard]] double rounding() const {
    constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
    return 8.0 * kEpsilon * std::sqrt(static_cast<double>(data_.size()));
  }

  [[nodiscard]] Expansion expand(const VectorXd& x) const {
    Expansion sum{0.0, VectorXd::Zero(size_), MatrixXd::Zero(size_, size_)};
    for (std::size_t begin = 0; begin < data_.size(); begin += kChunk) {
      add_chunk(begin, std::min(kChunk, data_.size() - begin), x, sum);
    }
    const auto samples = static_cast<double>(data_.size());
    sum.loss /= samples;
    sum.gradient /= samples;
    sum.hessian /= samples;
    const double l2 = options_.l2;
    sum.loss += 0.5 * l2 * x.head(weights_).squaredNorm();
    sum.gradient.head(weights_) += l2 * x.head(weights_);
    sum.hessian.diagonal().head(weights_).array() += l2;
    return sum;
  }

 private:
  static constexpr std::size_t kChunk = 1024;

  void add_chunk(std::size_t begin, std::size_t size, const VectorXd& x, Expansion& sum) const {
    const MatrixXd samples = gather(begin, size);
    const VectorXd margins = samples * x;
    VectorXd slopes(margins.size());
    VectorXd curvatures(margins.size());
    for (Eigen::Index b = 0; b < margins.size(); ++b) {
      const double y = data_.label(begin + static_cast<std::size_t>(b)) == 1 ? 1.0 : -1.0;
      const double m = y * margins[b];
      const double e = std::exp(-std::abs(m));
      const double wrong = m > 0.0 ? e / (1.0 + e) : 1.0 / (1.0 + e);  // sigmoid(-m)
      sum.loss += std::max(-m, 0.0) + std::log1p(e);
      slopes[b] = -y * wrong;
      curvatures[b] = e / ((1.0 + e) * (1.0 + e));
    }
    sum.gradient += samples.transpose() * slopes;
    sum.hessian += samples.transpose() * curvatures.asDiagonal() * samples;
  }

  [[nodiscard]] MatrixXd gather(std::size_t begin, std::size_t size) const {
    std::vector<std::uint32_t> indices(size);
    std::iota(indices.begin(), indices.end(), static_cast<std::uint32_t>(begin));
    std::vector<float> features(size * options_.features);
    data_.gather(indices, features);
    using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    MatrixXd samples = MatrixXd::Ones(static_cast<Eigen::Index>(size), size_);
    samples.leftCols(weights_) =
        Eigen::Map<const Rows>(features.data(), static_cast<Eigen::Index>(size), weights_)
            .cast<double>();
    return samples;
  }

  const Dataset& data_;
  LogisticOptions options_;
  Eigen::Index weights_ = 0;
  Eigen::Index size_ = 0;
};

/// Halves the Newton step until the loss falls by a tenth of what the gradient promises (Armijo).
/// Near the minimum the promise drowns in rounding; the whole step is then right.
VectorXd line_search(const Problem& problem,
                     const VectorXd& x,
                     const Expansion& at,
                     const VectorXd& step) {
  const double promise = 0.1 * at.gradient.dot(step);
  double length = 1.0;
  for (int halving = 0; halving < 40; ++halving, length /= 2.0) {
    VectorXd next = x - length * step;
    const double rounding = problem.rounding() * std::abs(at.loss);
    if (problem.expand(next).loss <= at.loss - length * promise + rounding) {
      return next;
    }
  }
  return x;
}

}  // namespace

LogisticOptimum find_logistic_optimum(const Dataset& data, const LogisticOptions& options) {
  ensure(data.classes() == 2 && options.classes == 2,
         "the optimum is found for two classes",
         data.classes(),
         options.classes);
  ensure(data.features() == options.features && data.size() > 0,
         "the optimum is one of this data",
         data.features(),
         options.features,
         data.size());
  constexpr std::size_t kMostIterations = 60;
  constexpr double kSmallGradient = 1e-11;
  const Problem problem(data, options);
  VectorXd x = VectorXd::Zero(problem.size());
  for (std::size_t iteration = 0; iteration < kMostIterations; ++iteration) {
    const Expansion at = problem.expand(x);
    const double norm = at.gradient.norm();
    // Along separable classes gradient and curvature die out together and the weights run away.
    const bool curved = at.hessian.ldlt().rcond() > 1e-12 && at.hessian.norm() > 1e-9;
    if (norm < kSmallGradient && curved) {
      return {{x.begin(), x.end()}, at.loss, norm, iteration};
    }
    if (!curved) {
      break;
    }
    x = line_search(problem, x, at, at.hessian.ldlt().solve(at.gradient));
  }
  throw ConfigError("logistic optimum: no minimum found on '" + data.name() +
                    "'; if the classes can be separated or features depend on each other, add an "
                    "L2 term");
}

}  // namespace starling::objective
