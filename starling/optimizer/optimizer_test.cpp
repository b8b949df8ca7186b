#include "starling/optimizer/optimizer.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/span_math.hpp"

namespace starling::optimizer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Vector = std::vector<float>;

/// The direction for a gradient at the origin.
Vector direction(Optimizer& optimizer, Vector gradient) {
  const Vector origin(gradient.size(), 0.0F);
  optimizer.direction(origin, gradient);
  return gradient;
}

std::string refusal(const OptimizerOptions& options) {
  try {
    make_optimizer(options, 1);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Sgd, DirectionIsTheGradient) {
  const auto sgd = make_optimizer({.name = "sgd"}, 2);
  EXPECT_THAT(direction(*sgd, {1.0F, -2.0F}), ElementsAre(1.0F, -2.0F));
  EXPECT_TRUE(sgd->state().empty());
}

TEST(Sgd, WeightDecayIsTakenAtThePoint) {
  const auto sgd = make_optimizer({.name = "sgd", .weight_decay = 0.5F}, 2);
  Vector gradient{1.0F, 1.0F};
  sgd->direction(Vector{4.0F, -2.0F}, gradient);
  EXPECT_THAT(gradient, ElementsAre(3.0F, 0.0F));
}

// u1 = 1, u2 = 0.5 + 2, u3 = 1.25 + 4: exact in binary.
TEST(Momentum, IsTheHeavyBall) {
  const auto momentum = make_optimizer({.name = "momentum", .momentum = 0.5F}, 1);
  EXPECT_THAT(direction(*momentum, {1.0F}), ElementsAre(1.0F));
  EXPECT_THAT(direction(*momentum, {2.0F}), ElementsAre(2.5F));
  EXPECT_THAT(direction(*momentum, {4.0F}), ElementsAre(5.25F));
}

// d = g + mu u with the same u as above: 1.5, 2 + 1.25, 4 + 2.625.
TEST(Nesterov, LooksAheadOfTheHeavyBall) {
  const auto nesterov = make_optimizer({.name = "nesterov", .momentum = 0.5F}, 1);
  EXPECT_THAT(direction(*nesterov, {1.0F}), ElementsAre(1.5F));
  EXPECT_THAT(direction(*nesterov, {2.0F}), ElementsAre(3.25F));
  EXPECT_THAT(direction(*nesterov, {4.0F}), ElementsAre(6.625F));
}

TEST(Momentum, WithoutMomentumIsSgd) {
  const auto momentum = make_optimizer({.name = "momentum", .momentum = 0.0F}, 1);
  direction(*momentum, {7.0F});
  EXPECT_THAT(direction(*momentum, {3.0F}), ElementsAre(3.0F));
}

// With bias correction the first direction is g / (|g| + eps): its sign, whatever its size.
TEST(Adam, FirstDirectionIsTheSign) {
  const auto adam = make_optimizer({.name = "adam"}, 3);
  const Vector first = direction(*adam, {1e-3F, -100.0F, 0.0F});
  EXPECT_NEAR(first[0], 1.0, 1e-4);  // eps / |g| = 1e-5
  EXPECT_NEAR(first[1], -1.0, 1e-6);
  EXPECT_EQ(first[2], 0.0F);
}

TEST(Adam, FollowsTheFormulaInDouble) {
  const auto adam = make_optimizer({.name = "adam"}, 1);
  double m = 0.0;
  double v = 0.0;
  for (int t = 1; t <= 50; ++t) {
    const double g = std::sin(t) + 0.5;
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    const double expected =
        m / (1.0 - std::pow(0.9, t)) / (std::sqrt(v / (1.0 - std::pow(0.999, t))) + 1e-8);
    // Five roundings a step, damped by the moments; 1 - beta as a float is off by 6e-8 / 0.001.
    EXPECT_NEAR(direction(*adam, {static_cast<float>(g)})[0], expected, 1e-4) << t;
  }
}

TEST(Adam, DecayIsDecoupledFromTheMoments) {
  const auto adam = make_optimizer({.name = "adam", .weight_decay = 0.5F}, 1);
  Vector gradient{0.0F};
  adam->direction(Vector{4.0F}, gradient);
  EXPECT_THAT(gradient, ElementsAre(2.0F));
  EXPECT_THAT(adam->state()[0].values, ElementsAre(0.0F));
}

class EveryOptimizer : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static std::unique_ptr<Optimizer> make(std::size_t size) {
    return make_optimizer({.name = GetParam()}, size);
  }
};

TEST_P(EveryOptimizer, KnowsItsNameAndCountsItsSteps) {
  const auto optimizer = make(1);
  EXPECT_EQ(optimizer->name(), GetParam());
  direction(*optimizer, {1.0F});
  direction(*optimizer, {1.0F});
  EXPECT_EQ(optimizer->steps(), 2U);
}

TEST_P(EveryOptimizer, ContinuesBitForBitFromItsState) {
  const auto first = make(2);
  for (int t = 0; t < 5; ++t) {
    direction(*first, {0.3F * static_cast<float>(t), -1.0F});
  }
  const auto second = make(2);
  const auto from = first->state();
  const auto to = second->state();
  ASSERT_EQ(from.size(), to.size());
  for (std::size_t k = 0; k < from.size(); ++k) {
    EXPECT_EQ(from[k].name, to[k].name);
    copy(from[k].values, to[k].values);
  }
  second->set_steps(first->steps());
  EXPECT_EQ(direction(*first, {0.7F, 0.1F}), direction(*second, {0.7F, 0.1F}));
}

// f(x) = x^2/2 from x = 1: with these rates every method is within 0.01 of the minimum after 400
// steps (slowest: adam, which moves by at most about lr = 0.01 a step and then rings).
TEST_P(EveryOptimizer, FindsTheMinimumOfAParabola) {
  const auto optimizer = make(1);
  Vector x{1.0F};
  for (int t = 0; t < 400; ++t) {
    Vector gradient = x;
    optimizer->direction(x, gradient);
    x[0] -= 0.02F * gradient[0];
  }
  EXPECT_NEAR(x[0], 0.0, 0.01);
}

TEST_P(EveryOptimizer, RefusesAnotherSize) {
  const auto optimizer = make(2);
  EXPECT_THROW(direction(*optimizer, {1.0F}), ContractError);
  EXPECT_EQ(optimizer->steps(), 0U);
}

TEST_P(EveryOptimizer, AcceptsNoParameters) {
  const auto optimizer = make(0);
  EXPECT_TRUE(direction(*optimizer, {}).empty());
}

INSTANTIATE_TEST_SUITE_P(All,
                         EveryOptimizer,
                         ::testing::Values("sgd", "momentum", "nesterov", "adam"));

TEST(MakeOptimizer, RefusesWhatIsOutOfRange) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refusal({.name = "adm"}), HasSubstr("no 'adm'; did you mean 'adam'?"));
  EXPECT_THAT(refusal({.momentum = 1.0F}), HasSubstr("momentum is 1"));
  EXPECT_THAT(refusal({.momentum = nan}), HasSubstr("momentum is nan"));
  EXPECT_THAT(refusal({.beta1 = -0.1F}), HasSubstr("beta1 is -0.1"));
  EXPECT_THAT(refusal({.beta2 = 1.0F}), HasSubstr("beta2 is 1"));
  EXPECT_THAT(refusal({.epsilon = 0.0F}), HasSubstr("epsilon is 0"));
  EXPECT_THAT(refusal({.weight_decay = -1.0F}), HasSubstr("weight decay is -1"));
}

}  // namespace
}  // namespace starling::optimizer
