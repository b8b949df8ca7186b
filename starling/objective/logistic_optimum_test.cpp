#include "starling/objective/logistic_optimum.hpp"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/span_math.hpp"
#include "starling/objective/catalog.hpp"
#include "starling/objective/dense_dataset.hpp"
#include "starling/objective/synthetic.hpp"

namespace starling::objective {
namespace {

std::vector<std::uint32_t> all_of(const Dataset& data) {
  std::vector<std::uint32_t> samples(data.size());
  std::iota(samples.begin(), samples.end(), std::uint32_t{0});
  return samples;
}

std::vector<float> as_floats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

/// Two peers with unlike truths: labels are noisy, so the minimum is finite.
std::shared_ptr<const Dataset> noisy_data() {
  return draw_synthetic_logistic({.dimension = 4,
                                  .samples = 1000,
                                  .test_samples = 1,
                                  .truth = SyntheticLogistic::Truth::per_peer,
                                  .peers = 2})
      .train;
}

class OptimumWith : public ::testing::TestWithParam<LogisticOptions> {};

TEST_P(OptimumWith, IsWhereTheObjectiveSaysItIs) {
  const auto data = noisy_data();
  const auto samples = all_of(*data);
  const LogisticOptimum optimum = find_logistic_optimum(*data, GetParam());
  Logistic objective(GetParam());
  const std::vector<float> x = as_floats(optimum.point);
  ASSERT_EQ(x.size(), objective.layout().elements());
  EXPECT_LT(optimum.gradient_norm, 1e-11);
  EXPECT_LT(optimum.iterations, 20U);

  Random random(1);
  std::vector<float> gradient(x.size());
  const Batch batch{data.get(), samples};
  // The sum of 2000 floats of size |h| ~ 3 / 2000 each: error 2000 * 3e-3 * 6e-8 at worst.
  objective.gradient(x, batch, random, gradient);
  for (const float slope : gradient) {
    EXPECT_NEAR(slope, 0.0F, 1e-5F);
  }
  EXPECT_NEAR(objective.evaluate(x, batch).loss(), optimum.loss, 1e-6);
  for (std::size_t k = 0; k < x.size(); ++k) {
    std::vector<float> moved = x;
    moved[k] += 0.1F;
    EXPECT_GT(objective.evaluate(moved, batch).loss(), optimum.loss);
  }
}

INSTANTIATE_TEST_SUITE_P(Options,
                         OptimumWith,
                         ::testing::Values(LogisticOptions{.features = 4},
                                           LogisticOptions{.features = 4, .bias = true},
                                           LogisticOptions{
                                               .features = 4, .bias = true, .l2 = 0.1F}));

// Information of one sample across x*: E[s'(z)] * 10 with z ~ N(0, 10 ||x*||^2), along it about
// (pi^2 / 3) / ||x*||^2 times the density of z at 0. For ||x*|| = 3, 8000 samples: deviation 0.1
// along, 0.02 across in each of nine directions; 0.5 is four of the whole.
TEST(LogisticOptimum, FindsTheTruthThatDrewTheLabels) {
  const SyntheticLogistic options{.samples = 8000, .test_samples = 1};
  const auto data = draw_synthetic_logistic(options).train;
  const LogisticOptimum optimum = find_logistic_optimum(*data, {.features = 10});
  const std::vector<float> truth = true_parameters(options, 0);
  EXPECT_LT(std::sqrt(squared_distance(as_floats(optimum.point), truth)), 0.5);
}

/// The loss of 800,000 samples is rounded by more than what the last steps gain.
TEST(LogisticOptimum, IsFoundAmongManySamples) {
  const auto data = load_data(
      {.name = "synthetic-logistic:d=10:samples=8000:test=1:noniid", .peers = 100, .seed = 3});
  EXPECT_LT(find_logistic_optimum(*data.train, {.features = 10}).iterations, 20U);
}

DenseDataset separable() {
  return DenseDataset({.name = "separable",
                       .sample_shape = {1},
                       .classes = 2,
                       .features = {-2.0F, -1.0F, 1.0F, 2.0F},
                       .labels = {0, 0, 1, 1}});
}

TEST(LogisticOptimum, SeparableClassesHaveNoMinimumWithoutL2) {
  EXPECT_THROW(find_logistic_optimum(separable(), {.features = 1}), ConfigError);
  EXPECT_NO_THROW(find_logistic_optimum(separable(), {.features = 1, .l2 = 0.01F}));
}

TEST(LogisticOptimum, IsForTwoClasses) {
  const auto data = draw_blobs({.classes = 3}).train;
  EXPECT_THROW(find_logistic_optimum(*data, {.features = 8, .classes = 3}), ContractError);
}

}  // namespace
}  // namespace starling::objective
