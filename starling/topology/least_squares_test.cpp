// The least-squares experiment of the paper page: how near D-SGD gets with each schedule when all
// peers share a solution and their gradients are noisy. On rows alone: what the algorithms compute
// is tested where they are.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/random.hpp"
#include "starling/topology/catalog.hpp"
#include "starling/topology/ceca.hpp"

namespace starling::topology {
namespace {

constexpr std::size_t kPeers = 258;
constexpr std::size_t kDimension = 10;
constexpr std::size_t kSamples = 50;
constexpr std::size_t kIterations = 300;
constexpr double kNoise = 5.0;  // of each coordinate of a gradient

using Vector = std::array<double, kDimension>;
using Square = std::array<Vector, kDimension>;
using Models = std::vector<Vector>;

/// f_i = ||A_i x - b_i||^2 / 2 as A_i^T A_i and A_i^T b_i, and the sum of all of them.
struct Problem {
  std::vector<Square> curvature = std::vector<Square>(kPeers);
  Models target = Models(kPeers);
  Vector solution{};  ///< of the sum
};

/// x with a x = b by Gaussian elimination; a is positive definite.
Vector solved(Square a, Vector b) {
  for (std::size_t k = 0; k < kDimension; ++k) {
    for (std::size_t i = k + 1; i < kDimension; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < kDimension; ++j) {
        a[i][j] -= factor * a[k][j];
      }
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = kDimension; k-- > 0;) {
    for (std::size_t j = k + 1; j < kDimension; ++j) {
      b[k] -= a[k][j] * b[j];
    }
    b[k] /= a[k][k];
  }
  return b;
}

/// A ~ N(0, 1), b = A x0 + 0.1 N(0, 1), one x0 for all.
Problem drawn_problem() {
  Random random(stream_key("least squares"));
  Problem problem;
  Square whole{};
  Vector whole_target{};
  Vector x0{};
  for (double& value : x0) {
    value = random.normal();
  }
  for (std::size_t i = 0; i < kPeers; ++i) {
    for (std::size_t sample = 0; sample < kSamples; ++sample) {
      Vector a{};
      double b = 0.0;
      for (std::size_t k = 0; k < kDimension; ++k) {
        a[k] = random.normal();
        b += a[k] * x0[k];
      }
      b += 0.1 * random.normal();
      for (std::size_t k = 0; k < kDimension; ++k) {
        for (std::size_t j = 0; j < kDimension; ++j) {
          problem.curvature[i][k][j] += a[k] * a[j];
          whole[k][j] += a[k] * a[j];
        }
        problem.target[i][k] += a[k] * b;
        whole_target[k] += a[k] * b;
      }
    }
  }
  problem.solution = solved(whole, whole_target);
  return problem;
}

/// gamma (gradient of f_i at u + noise), gamma = 0.02 divided by 1.5 every 20 iterations. The noise
/// of a peer and an iteration is the same for every method.
Vector step(const Problem& problem, std::size_t peer, std::size_t iteration, const Vector& u) {
  Random random(stream_key("gradient noise"), iteration * kPeers + peer);
  const double gamma = 0.02 * std::pow(1.5, -static_cast<double>(iteration / 20));
  Vector move{};
  for (std::size_t k = 0; k < kDimension; ++k) {
    double gradient = kNoise * random.normal() - problem.target[peer][k];
    for (std::size_t j = 0; j < kDimension; ++j) {
      gradient += problem.curvature[peer][k][j] * u[j];
    }
    move[k] = gamma * gradient;
  }
  return move;
}

void subtract(Vector& x, const Vector& move) {
  for (std::size_t k = 0; k < kDimension; ++k) {
    x[k] -= move[k];
  }
}

/// Mean over peers of ||x_i - x*|| / ||x*||.
double relative_error(const Problem& problem, const Models& models) {
  const auto norm_of = [](const Vector& x) {
    double squares = 0.0;
    for (const double value : x) {
      squares += value * value;
    }
    return std::sqrt(squares);
  };
  double sum = 0.0;
  for (Vector x : models) {
    subtract(x, problem.solution);
    sum += norm_of(x);
  }
  return sum / static_cast<double>(kPeers) / norm_of(problem.solution);
}

/// x <- W_t (x - gamma g)
double error_of_dsgd(const Problem& problem, const std::string& name) {
  const auto topology = make_topology({.name = name, .peers = kPeers});
  Models models(kPeers, Vector{});
  for (std::size_t t = 0; t < kIterations; ++t) {
    for (std::size_t i = 0; i < kPeers; ++i) {
      subtract(models[i], step(problem, i, t, models[i]));
    }
    const Models before = models;
    for (std::size_t i = 0; i < kPeers; ++i) {
      const MixingRow row = topology->row(t, i);
      for (std::size_t k = 0; k < kDimension; ++k) {
        models[i][k] = row.self_weight * before[i][k];
        for (const Link& link : row.receives) {
          models[i][k] += link.weight * before[link.rank][k];
        }
      }
    }
  }
  return relative_error(problem, models);
}

double error_of_ceca(const Problem& problem, CecaPorts ports) {
  const CecaSchedule schedule(kPeers, ports);
  Models x(kPeers, Vector{});
  Models y = x;
  for (std::size_t t = 0; t < kIterations; ++t) {
    const std::size_t round = t % schedule.rounds();
    for (std::size_t i = 0; i < kPeers; ++i) {
      const bool at_model = schedule.exchange(round, i).sends_model;
      const Vector move = step(problem, i, t, at_model ? x[i] : y[i]);
      subtract(x[i], move);
      subtract(y[i], move);
    }
    const Models old_x = x;
    const Models old_y = y;
    for (std::size_t i = 0; i < kPeers; ++i) {
      const CecaExchange exchange = schedule.exchange(round, i);
      const Vector& c = exchange.sends_model ? old_x[exchange.from] : old_y[exchange.from];
      for (std::size_t k = 0; k < kDimension; ++k) {
        x[i][k] += exchange.model_share * (c[k] - x[i][k]);
        y[i][k] += exchange.other_share * (c[k] - y[i][k]);
      }
    }
  }
  return relative_error(problem, x);
}

/// x <- mean of x - gamma g over all peers: what noise leaves at best.
double error_of_exact_averages(const Problem& problem) {
  Vector x{};
  for (std::size_t t = 0; t < kIterations; ++t) {
    Vector sum{};
    for (std::size_t i = 0; i < kPeers; ++i) {
      subtract(sum, step(problem, i, t, x));
    }
    for (std::size_t k = 0; k < kDimension; ++k) {
      x[k] += sum[k] / static_cast<double>(kPeers);
    }
  }
  return relative_error(problem, Models(kPeers, x));
}

// The page, for another draw of the problem: exact averages 4.7e-4, CECA with two ports 5.5e-4,
// with one 5.7e-4, one-peer exponential 5.5e-4, ring 2.7e-3. That CECA is better than the
// exponential graph is not asserted: it is not.
TEST(LeastSquares, CecaIsAsGoodAsTheExponentialGraphAndFarBetterThanARing) {
  const Problem problem = drawn_problem();
  const double centralized = error_of_exact_averages(problem);
  const double exponential = error_of_dsgd(problem, "exponential");
  const double ring = error_of_dsgd(problem, "ring");
  for (const CecaPorts ports : {CecaPorts::one, CecaPorts::two}) {
    const double ceca = error_of_ceca(problem, ports);
    EXPECT_LE(ceca, 1.3 * exponential);
    EXPECT_LE(ceca, 0.4 * ring);
    EXPECT_NEAR(ceca / centralized, 5.6 / 4.7, 0.3);
  }
  EXPECT_NEAR(ring / centralized, 27.0 / 4.7, 1.5);
}

}  // namespace
}  // namespace starling::topology
