#include "starling/objective/quadratic.hpp"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"
#include "starling/objective/gradient_check.hpp"

namespace starling::objective {
namespace {

using ::testing::Each;

std::vector<float> as_floats(std::span<const double> values) {
  return {values.begin(), values.end()};
}

/// The objectives of all peers of one problem.
std::vector<std::unique_ptr<Quadratic>> all_peers(QuadraticOptions options) {
  std::vector<std::unique_ptr<Quadratic>> peers;
  for (options.rank = 0; options.rank < options.peers; ++options.rank) {
    peers.push_back(std::make_unique<Quadratic>(options));
  }
  return peers;
}

double norm(std::span<const float> values) {
  double squares = 0.0;
  for (const float value : values) {
    squares += double{value} * double{value};
  }
  return std::sqrt(squares);
}

class QuadraticOf : public ::testing::TestWithParam<QuadraticOptions> {
 protected:
  /// Mean of the exact local losses and gradients at `point`.
  static double mean_loss(const std::vector<float>& point, std::vector<float>& mean_gradient) {
    double loss = 0.0;
    Random random(1);
    std::vector<float> gradient(point.size());
    mean_gradient.assign(point.size(), 0.0F);
    const auto peers = all_peers(GetParam());
    const auto share = 1.0F / static_cast<float>(peers.size());
    for (const auto& peer : peers) {
      loss += peer->gradient(point, {}, random, gradient) / static_cast<double>(peers.size());
      for (std::size_t k = 0; k < point.size(); ++k) {
        mean_gradient[k] += share * gradient[k];
      }
    }
    return loss;
  }

  static std::vector<float> somewhere() {
    std::vector<float> point(GetParam().dimension);
    for (std::size_t k = 0; k < point.size(); ++k) {
      point[k] = 0.5F - 0.25F * static_cast<float>(k);
    }
    return point;
  }
};

TEST_P(QuadraticOf, GradientIsTheDerivativeOfTheLoss) {
  Quadratic quadratic(GetParam());
  // A parabola's central difference is exact; what is left is the float gradient's rounding.
  expect_gradient_is_derivative(quadratic, somewhere(), {}, 1e-4);
}

TEST_P(QuadraticOf, EveryPeerEvaluatesTheMeanOverAllPeers) {
  std::vector<float> unused;
  const double mean = mean_loss(somewhere(), unused);
  for (const auto& peer : all_peers(GetParam())) {
    const Evaluation evaluation = peer->evaluate(somewhere(), {});
    EXPECT_NEAR(evaluation.loss(), mean, 1e-12 * mean);  // doubles all the way
    EXPECT_FALSE(evaluation.has_accuracy);
    EXPECT_EQ(evaluation.samples, 1U);
  }
}

TEST_P(QuadraticOf, TheMeanGradientVanishesAtTheOptimum) {
  const Quadratic quadratic(GetParam());
  std::vector<float> gradient;
  const double loss = mean_loss(as_floats(quadratic.optimum()), gradient);
  EXPECT_NEAR(loss, quadratic.minimum(), 1e-9);  // x* rounded to float: error of second order
  EXPECT_LT(norm(gradient), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    Problems,
    QuadraticOf,
    ::testing::Values(QuadraticOptions{.dimension = 5, .zeta = 1.0, .sigma = 0.0, .peers = 4},
                      QuadraticOptions{.dimension = 1, .zeta = 0.0, .sigma = 0.0, .peers = 1},
                      QuadraticOptions{
                          .dimension = 6, .zeta = 2.0, .sigma = 0.0, .spread = 30.0, .peers = 3},
                      QuadraticOptions{.dimension = 4,
                                       .zeta = 0.5,
                                       .sigma = 0.0,
                                       .spread = 2.0,
                                       .curvature = PeerCurvature::graded,
                                       .peers = 5}));

TEST(Quadratic, WithoutHeterogeneityEveryPeerHasTheSameOptimum) {
  for (const auto& peer : all_peers({.dimension = 3, .zeta = 0.0, .sigma = 0.0, .peers = 4})) {
    Random random(1);
    std::vector<float> gradient(3);
    peer->gradient(as_floats(peer->optimum()), {}, random, gradient);
    EXPECT_LT(norm(gradient), 1e-6);
    EXPECT_EQ(peer->minimum(), 0.0);
  }
}

// (1/n) sum ||grad f_i(x*)||^2 = zeta^2 d (n-1)/n in the mean over draws; relative deviation
// sqrt(2/(nd)).
TEST(Quadratic, ZetaIsTheSpreadOfTheLocalOptima) {
  constexpr std::size_t kPeers = 20;
  constexpr std::size_t kDimension = 200;
  double mean = 0.0;
  for (const auto& peer :
       all_peers({.dimension = kDimension, .zeta = 3.0, .sigma = 0.0, .peers = kPeers})) {
    Random random(1);
    std::vector<float> gradient(kDimension);
    peer->gradient(as_floats(peer->optimum()), {}, random, gradient);
    mean += norm(gradient) * norm(gradient) / kPeers;
  }
  const double expected = 9.0 * kDimension * (kPeers - 1.0) / kPeers;
  EXPECT_NEAR(mean, expected, 4.0 * std::sqrt(2.0 / (kPeers * kDimension)) * expected);
}

TEST(Quadratic, SigmaIsTheDeviationOfTheNoiseAndTheLossHasNone) {
  constexpr std::size_t kDimension = 2000;
  Quadratic noisy({.dimension = kDimension, .sigma = 0.5});
  Quadratic exact({.dimension = kDimension, .sigma = 0.0});
  const std::vector<float> point(kDimension, 0.0F);
  std::vector<float> a(kDimension);
  std::vector<float> b(kDimension);
  Random random(1);
  EXPECT_EQ(noisy.gradient(point, {}, random, a), exact.gradient(point, {}, random, b));
  double squares = 0.0;
  for (std::size_t k = 0; k < kDimension; ++k) {
    squares += (a[k] - b[k]) * (a[k] - b[k]);
  }
  EXPECT_NEAR(squares / kDimension, 0.25, 4.0 * 0.25 * std::sqrt(2.0 / kDimension));
  std::vector<float> again(kDimension);
  Random same(1);
  noisy.gradient(point, {}, same, again);
  EXPECT_EQ(a, again);
}

TEST(Quadratic, SpreadIsTheRatioOfCurvatures) {
  Quadratic quadratic({.dimension = 9, .zeta = 0.0, .sigma = 0.0, .spread = 16.0});
  Random random(1);
  std::vector<float> at_zero(9);
  std::vector<float> at_one(9);
  quadratic.gradient(std::vector<float>(9, 0.0F), {}, random, at_zero);
  quadratic.gradient(std::vector<float>(9, 1.0F), {}, random, at_one);
  EXPECT_NEAR(at_one[0] - at_zero[0], 1.0, 1e-5);
  EXPECT_NEAR(at_one[4] - at_zero[4], 4.0, 1e-5);
  EXPECT_NEAR(at_one[8] - at_zero[8], 16.0, 1e-4);
}

TEST(Quadratic, StartsAtTheOrigin) {
  Quadratic quadratic({.dimension = 4});
  Random random(9);
  std::vector<float> parameters(4, 7.0F);
  quadratic.initialise(parameters, random);
  EXPECT_THAT(parameters, Each(0.0F));
}

TEST(Quadratic, HasNothingToPredict) {
  Quadratic quadratic({.dimension = 2});
  EXPECT_EQ(quadratic.outputs(), 0U);
  std::vector<float> none;
  EXPECT_THROW(quadratic.predict(std::vector<float>(2), {}, none), ContractError);
}

TEST(Quadratic, RefusesPointsOfAnotherSize) {
  Quadratic quadratic({.dimension = 2});
  Random random(1);
  std::vector<float> out(2);
  EXPECT_THROW(quadratic.gradient(std::vector<float>(3), {}, random, out), ContractError);
  EXPECT_THROW(quadratic.evaluate(std::vector<float>(3), {}), ContractError);
}

}  // namespace
}  // namespace starling::objective
