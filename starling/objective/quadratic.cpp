#include "starling/objective/quadratic.hpp"

#include <cmath>
#include <utility>

#include "starling/core/ensure.hpp"

namespace starling::objective {

namespace {

/// Numbers of one peer's part of the problem; every peer can draw those of all others.
struct PeerPart {
  std::vector<double> curvature;
  std::vector<double> offset;  // b_i - c
};

std::vector<double> draw(const QuadraticOptions& options,
                         std::string_view purpose,
                         std::uint64_t of) {
  Random random(stream_key(options.seed, stream_key(purpose)), of);
  std::vector<double> values(options.dimension);
  for (double& value : values) {
    value = random.normal();
  }
  return values;
}

std::vector<double> draw_offset(const QuadraticOptions& options, std::size_t peer) {
  return draw(options, "quadratic, peer", peer);
}

std::vector<double> mean_offset(const QuadraticOptions& options) {
  std::vector<double> mean(options.dimension, 0.0);
  for (std::size_t peer = 0; peer < options.peers; ++peer) {
    const std::vector<double> values = draw_offset(options, peer);
    for (std::size_t k = 0; k < mean.size(); ++k) {
      mean[k] += values[k];
    }
  }
  for (double& value : mean) {
    value /= static_cast<double>(options.peers);
  }
  return mean;
}

double curvature_of_coordinate(const QuadraticOptions& options, std::size_t k) {
  if (options.dimension == 1) {
    return 1.0;
  }
  const double exponent = static_cast<double>(k) / static_cast<double>(options.dimension - 1);
  return std::pow(options.spread, exponent);
}

PeerPart draw_part(const QuadraticOptions& options,
                   std::span<const double> mean,
                   std::size_t peer) {
  const bool graded = options.curvature == PeerCurvature::graded;
  const double grade = graded ? static_cast<double>(peer + 1) : 1.0;
  PeerPart drawn{std::vector<double>(options.dimension), draw_offset(options, peer)};
  for (std::size_t k = 0; k < options.dimension; ++k) {
    const double share = graded ? grade * grade / static_cast<double>(options.peers) : 1.0;
    const double curvature = curvature_of_coordinate(options, k) * share;
    const double deviation = graded ? options.zeta / (std::sqrt(curvature) * grade) : options.zeta;
    drawn.curvature[k] = curvature;
    drawn.offset[k] = deviation * (drawn.offset[k] - mean[k]);
  }
  return drawn;
}

/// x*, its loss and the curvature of the mean loss.
void sum_over_peers(QuadraticProblem& problem) {
  const std::size_t dimension = problem.options.dimension;
  const auto peers = static_cast<double>(problem.options.peers);
  problem.mean_curvature.assign(dimension, 0.0);
  std::vector<double> first(dimension, 0.0);   // mean of a_i e_i, e_i = b_i - c
  std::vector<double> second(dimension, 0.0);  // mean of a_i e_i^2
  for (std::size_t peer = 0; peer < problem.options.peers; ++peer) {
    const PeerPart drawn = draw_part(problem.options, problem.mean_draw, peer);
    for (std::size_t k = 0; k < dimension; ++k) {
      const double weighted = drawn.curvature[k] * drawn.offset[k] / peers;
      problem.mean_curvature[k] += drawn.curvature[k] / peers;
      first[k] += weighted;
      second[k] += weighted * drawn.offset[k];
    }
  }
  problem.optimum.resize(dimension);
  for (std::size_t k = 0; k < dimension; ++k) {
    const double shift = first[k] / problem.mean_curvature[k];
    problem.optimum[k] = problem.common[k] + shift;
    problem.minimum += 0.5 * (second[k] - first[k] * shift);
  }
}

}  // namespace

std::shared_ptr<const QuadraticProblem> draw_quadratic_problem(const QuadraticOptions& options) {
  auto problem = std::make_shared<QuadraticProblem>();
  problem->options = options;
  problem->common = draw(options, "quadratic, common centre", 0);
  problem->mean_draw = mean_offset(options);
  sum_over_peers(*problem);
  return problem;
}

Quadratic::Quadratic(std::shared_ptr<const QuadraticProblem> problem, std::size_t rank)
    : problem_(std::move(problem)) {
  const QuadraticOptions& options = problem_->options;
  ensure(rank < options.peers, "a rank lies below the number of peers", rank, options.peers);
  layout_.append("x", {options.dimension});
  PeerPart own = draw_part(options, problem_->mean_draw, rank);
  curvature_ = std::move(own.curvature);
  centre_ = std::move(own.offset);
  for (std::size_t k = 0; k < centre_.size(); ++k) {
    centre_[k] += problem_->common[k];
  }
}

void Quadratic::initialise(std::span<float> parameters, Random&) {
  ensure(parameters.size() == layout_.elements(),
         "initialise: one number a parameter",
         parameters.size(),
         layout_.elements());
  for (float& value : parameters) {
    value = 0.0F;
  }
}

double Quadratic::gradient(std::span<const float> point,
                           const Batch&,
                           Random& random,
                           std::span<float> out) {
  ensure(point.size() == centre_.size() && out.size() == centre_.size(),
         "gradient: one number a parameter",
         point.size(),
         out.size(),
         centre_.size());
  const double sigma = problem_->options.sigma;
  double loss = 0.0;
  for (std::size_t k = 0; k < centre_.size(); ++k) {
    const double distance = double{point[k]} - centre_[k];
    const double slope = curvature_[k] * distance;
    loss += 0.5 * slope * distance;
    const double noise = sigma > 0.0 ? sigma * random.normal() : 0.0;
    out[k] = static_cast<float>(slope + noise);
  }
  return loss;
}

Evaluation Quadratic::evaluate(std::span<const float> point, const Batch&) {
  const std::vector<double>& optimum = problem_->optimum;
  ensure(point.size() == optimum.size(),
         "evaluate: one number a parameter",
         point.size(),
         optimum.size());
  double loss = problem_->minimum;
  for (std::size_t k = 0; k < optimum.size(); ++k) {
    const double distance = double{point[k]} - optimum[k];
    loss += 0.5 * problem_->mean_curvature[k] * distance * distance;
  }
  return {.loss_sum = loss, .samples = 1};
}

void Quadratic::predict(std::span<const float>, const Batch&, std::span<float>) {
  ensure(false, "a quadratic problem has nothing to predict");
}

double Quadratic::flops_per_sample() const {
  return 6.0 * static_cast<double>(centre_.size());  // difference, slope, loss, noise added
}

}  // namespace starling::objective
