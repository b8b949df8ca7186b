// The figures of the logistic study on the page about data, worked out again.
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/span_math.hpp"
#include "starling/objective/logistic.hpp"
#include "starling/objective/logistic_optimum.hpp"
#include "starling/objective/synthetic.hpp"

namespace starling::objective {
namespace {

/// A row of the table in docs/data.md: 8000 samples a peer, d = 10, seed 1.
struct Study {
  SyntheticLogistic::Truth truth;
  std::size_t peers;
  double minimum;
  double norm;
  double heterogeneity;
  double noise;
};

class StudyOf : public ::testing::TestWithParam<Study> {};

TEST_P(StudyOf, HasTheFiguresOfTheDataPage) {
  const Study& row = GetParam();
  const auto data = draw_synthetic_logistic(
                        {.test_samples = 1, .truth = row.truth, .peers = row.peers, .seed = 1})
                        .train;
  const LogisticOptimum optimum = find_logistic_optimum(*data, {.features = 10});
  const std::vector<float> x(optimum.point.begin(), optimum.point.end());
  Logistic objective({.features = 10});
  Random random(1);
  std::vector<float> gradient(10);
  const std::vector<float> origin(10);
  const auto squared_gradient = [&](std::span<const std::uint32_t> samples) {
    objective.gradient(x, {data.get(), samples}, random, gradient);
    return squared_distance(gradient, origin);
  };
  double heterogeneity = 0.0;
  double of_one_sample = 0.0;
  std::vector<std::uint32_t> all(data->size());
  std::iota(all.begin(), all.end(), std::uint32_t{0});
  std::span<const std::uint32_t> rest = all;
  for (const std::size_t size : data->samples_by_peer()) {
    heterogeneity += squared_gradient(rest.first(size)) / static_cast<double>(row.peers);
    rest = rest.subspan(size);
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    of_one_sample += squared_gradient(std::span(all).subspan(k, 1));
  }
  EXPECT_NEAR(optimum.loss, row.minimum, 6e-5);
  EXPECT_NEAR(std::sqrt(squared_distance(x, origin)), row.norm, 6e-3);
  EXPECT_NEAR(heterogeneity, row.heterogeneity, 0.1 * row.heterogeneity);
  EXPECT_NEAR(of_one_sample / static_cast<double>(all.size()), row.noise, 0.06);
}

constexpr auto kShared = SyntheticLogistic::Truth::shared;
constexpr auto kPerPeer = SyntheticLogistic::Truth::per_peer;

INSTANTIATE_TEST_SUITE_P(OfThePage,
                         StudyOf,
                         ::testing::Values(Study{kShared, 20, 0.1793, 2.22, 0.0006, 5.0},
                                           Study{kShared, 50, 0.1793, 2.21, 0.0006, 5.0},
                                           Study{kPerPeer, 20, 0.6764, 0.12, 1.45, 24.1},
                                           Study{kPerPeer, 50, 0.6884, 0.06, 1.51, 24.7}));

}  // namespace
}  // namespace starling::objective
