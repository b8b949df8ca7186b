#include "starling/collective/color_weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"

namespace starling::collective {
namespace {

using Dims = std::vector<std::size_t>;
using ::testing::DoubleNear;
using ::testing::Pointwise;

/// W_c of the page.
std::vector<double> one_way(const Dims& dims) {
  return axis_weights(ColorWeights::solved, dims, one_way_shares(dims));
}

/// What the links of every axis carry.
std::vector<double> loads(const Dims& dims,
                          const std::vector<double>& shares,
                          const std::vector<double>& weights) {
  std::vector<double> load(dims.size());
  for (std::size_t c = 0; c < dims.size(); ++c) {
    double window = weights[c];
    for (std::size_t r = 0; r < dims.size(); ++r) {
      const std::size_t k = (c + r) % dims.size();
      load[k] += window * shares[k];
      window /= static_cast<double>(dims[k]);
    }
  }
  return load;
}

/// Calls visit(dims) for all extents from 2 to `longest` on `axes` axes.
template <class Visit>
void for_each_torus(std::size_t axes, std::size_t longest, Visit visit) {
  Dims dims(axes, 2);
  for (;;) {
    visit(dims);
    std::size_t axis = 0;
    while (axis < axes && dims[axis] == longest) {
      dims[axis++] = 2;
    }
    if (axis == axes) {
      return;
    }
    ++dims[axis];
  }
}

TEST(ColorWeights, ExamplesOfThePage) {
  constexpr double kPrinted = 5e-5;  // four digits
  EXPECT_THAT(one_way({8, 4}), Pointwise(DoubleNear(kPrinted), {0.4048, 0.5952}));
  EXPECT_THAT(one_way({4, 2}), Pointwise(DoubleNear(1e-12), {1.0 / 6, 5.0 / 6}));
  EXPECT_THAT(one_way({4, 4, 2}), Pointwise(DoubleNear(1e-12), {1.0 / 9, 3.0 / 9, 5.0 / 9}));
}

TEST(ColorWeights, TwoAxesHaveAClosedForm) {
  for_each_torus(2, 16, [](const Dims& dims) {
    const double a = 1.0 - 1.0 / static_cast<double>(dims[0]);
    const double b = 1.0 - 1.0 / static_cast<double>(dims[1]);
    const double first = (b - a / static_cast<double>(dims[1])) / (2 * a * b);
    EXPECT_NEAR(one_way(dims)[0], first, 1e-12);
  });
}

TEST(ColorWeights, LoadAllAxesAlikeWithTheOptimum) {
  for (std::size_t axes = 1; axes <= 4; ++axes) {
    for_each_torus(axes, axes <= 3 ? 12 : 5, [&](const Dims& dims) {
      const auto weights = one_way(dims);
      double peers = 1.0;
      double sum = 0.0;
      for (std::size_t axis = 0; axis < axes; ++axis) {
        peers *= static_cast<double>(dims[axis]);
        sum += weights[axis];
        EXPECT_GE(weights[axis], 0.0);
      }
      EXPECT_NEAR(sum, 1.0, 1e-12);
      for (const double load : loads(dims, one_way_shares(dims), weights)) {
        EXPECT_NEAR(load, (1.0 - 1.0 / peers) / static_cast<double>(axes), 1e-12);
      }
    });
  }
}

TEST(ColorWeights, HalfWayLoadsTheBusierLinksAlike) {
  EXPECT_THAT(half_way_shares(Dims{2, 3, 4, 5}),
              Pointwise(DoubleNear(1e-15), {1.0, 2.0 / 3, 1.0, 4.0 / 5}));
  for_each_torus(3, 7, [](const Dims& dims) {
    const auto shares = half_way_shares(dims);
    const auto load = loads(dims, shares, axis_weights(ColorWeights::solved, dims, shares));
    EXPECT_NEAR(load[0], load[1], 1e-12);
    EXPECT_NEAR(load[0], load[2], 1e-12);
  });
}

TEST(ColorWeights, EqualAxesHaveExactlyEqualWeights) {
  for (std::size_t axes = 1; axes <= 5; ++axes) {
    const Dims dims(axes, 3);
    const std::vector<double> equal(axes, 1.0 / static_cast<double>(axes));
    EXPECT_EQ(one_way(dims), equal);
  }
}

TEST(ColorWeights, ANegativeShareMeansEqualWeights) {
  // .9 u + .45 v = 1 and .05 u + .1 v = 1 have u < 0.
  EXPECT_EQ(axis_weights(ColorWeights::solved, Dims{2, 2}, std::vector{0.9, 0.1}),
            (std::vector{0.5, 0.5}));
}

TEST(ColorWeights, SingularEquationsMeanEqualWeights) {
  EXPECT_EQ(axis_weights(ColorWeights::solved, Dims{2, 3}, std::vector{1.0, 0.0}),
            (std::vector{0.5, 0.5}));
}

TEST(ColorWeights, EqualOnesDoNotLookAtTheAxes) {
  EXPECT_EQ(axis_weights(ColorWeights::equal, Dims{8, 4}, one_way_shares(Dims{8, 4})),
            (std::vector{0.5, 0.5}));
}

TEST(ColorWeights, EveryAxisHasAShare) {
  EXPECT_THROW((void)axis_weights(ColorWeights::solved, Dims{2, 3}, std::vector{1.0}),
               ContractError);
  EXPECT_THROW((void)axis_weights(ColorWeights::solved, Dims{}, std::vector<double>{}),
               ContractError);
}

}  // namespace
}  // namespace starling::collective
