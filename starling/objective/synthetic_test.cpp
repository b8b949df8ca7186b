#include "starling/objective/synthetic.hpp"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/objective/logistic.hpp"

namespace starling::objective {
namespace {

using ::testing::ElementsAre;

using Truth = SyntheticLogistic::Truth;

std::vector<float> features_of(const Dataset& data, std::uint32_t first, std::size_t samples) {
  std::vector<std::uint32_t> indices(samples);
  std::iota(indices.begin(), indices.end(), first);
  std::vector<float> features(samples * data.features());
  data.gather(indices, features);
  return features;
}

TEST(SyntheticLogistic, HasTheSizesThatWereAskedFor) {
  const DataPair pair =
      draw_synthetic_logistic({.dimension = 3, .samples = 20, .test_samples = 5, .peers = 4});
  EXPECT_EQ(pair.train->size(), 80U);
  EXPECT_EQ(pair.test->size(), 20U);
  EXPECT_EQ(pair.train->features(), 3U);
  EXPECT_EQ(pair.train->classes(), 2U);
  EXPECT_THAT(pair.train->samples_by_peer(), ElementsAre(20, 20, 20, 20));
}

TEST(SyntheticLogistic, FeaturesHaveMeanZeroAndVarianceTen) {
  const DataPair pair = draw_synthetic_logistic({.samples = 2000, .test_samples = 1});
  double sum = 0.0;
  double squares = 0.0;
  const std::vector<float> features = features_of(*pair.train, 0, 2000);
  for (const float value : features) {
    sum += value;
    squares += double{value} * double{value};
  }
  const auto count = static_cast<double>(features.size());
  EXPECT_NEAR(sum / count, 0.0, 4.0 * std::sqrt(10.0 / count));
  EXPECT_NEAR(squares / count, 10.0, 4.0 * 10.0 * std::sqrt(2.0 / count));
}

// In bins of the predicted probability p the share of class 1 is p, up to 4 sqrt(p (1 - p) /
// count).
TEST(SyntheticLogistic, LabelsFollowTheLogisticModelOfTheTruth) {
  const SyntheticLogistic options{.dimension = 2, .samples = 20'000, .test_samples = 1, .seed = 3};
  const DataPair pair = draw_synthetic_logistic(options);
  const std::vector<float> truth = true_parameters(options, 0);
  const std::vector<float> features = features_of(*pair.train, 0, options.samples);
  std::vector<double> expected(10, 0.0);
  std::vector<double> found(10, 0.0);
  std::vector<double> count(10, 0.0);
  for (std::size_t k = 0; k < options.samples; ++k) {
    const double margin = truth[0] * features[2 * k] + truth[1] * features[2 * k + 1];
    const double p = 1.0 / (1.0 + std::exp(-margin));
    const auto bin = std::min<std::size_t>(9, static_cast<std::size_t>(10.0 * p));
    expected[bin] += p;
    found[bin] += pair.train->label(k);
    count[bin] += 1.0;
  }
  for (std::size_t bin = 0; bin < 10; ++bin) {
    const double p = expected[bin] / count[bin];
    EXPECT_NEAR(found[bin] / count[bin], p, 4.0 * std::sqrt(p * (1.0 - p) / count[bin])) << bin;
  }
}

TEST(SyntheticLogistic, TruthIsSharedOrOwn) {
  EXPECT_EQ(true_parameters({}, 0), true_parameters({}, 5));
  EXPECT_NE(true_parameters({.truth = Truth::per_peer}, 0),
            true_parameters({.truth = Truth::per_peer}, 5));
  EXPECT_NE(true_parameters({.seed = 1}, 0), true_parameters({.seed = 2}, 0));
}

TEST(SyntheticLogistic, APeersSamplesDoNotDependOnHowManyPeersThereAre) {
  const SyntheticLogistic few{
      .dimension = 3, .samples = 10, .test_samples = 2, .truth = Truth::per_peer, .peers = 2};
  SyntheticLogistic many = few;
  many.peers = 5;
  const DataPair a = draw_synthetic_logistic(few);
  const DataPair b = draw_synthetic_logistic(many);
  EXPECT_EQ(features_of(*a.train, 0, 20), features_of(*b.train, 0, 20));
  EXPECT_NE(features_of(*b.train, 0, 10), features_of(*b.train, 10, 10));
}

TEST(SyntheticLogistic, TestSamplesAreOthers) {
  const DataPair pair =
      draw_synthetic_logistic({.dimension = 3, .samples = 10, .test_samples = 10});
  EXPECT_NE(features_of(*pair.train, 0, 10), features_of(*pair.test, 0, 10));
}

// Norms over 40 draws at the truth: E||h||^2 = 100, so the noise of one gradient is at most that;
// the share of wrong labels and with it the noise is that of a model whose margins have deviation
// sqrt(10) ||x*||.
TEST(SyntheticLogistic, GradientNoiseAveragesOutOverABatch) {
  const SyntheticLogistic options{.samples = 4000, .test_samples = 1};
  const DataPair pair = draw_synthetic_logistic(options);
  const std::vector<float> truth = true_parameters(options, 0);
  Logistic objective({.features = 10});
  Random random(1);
  std::vector<float> gradient(10);
  const auto mean_square = [&](std::size_t batch) {
    std::vector<std::uint32_t> samples(batch);
    double total = 0.0;
    for (std::size_t begin = 0; begin + batch <= 4000; begin += batch) {
      std::iota(samples.begin(), samples.end(), static_cast<std::uint32_t>(begin));
      objective.gradient(truth, {pair.train.get(), samples}, random, gradient);
      for (const float slope : gradient) {
        total += double{slope} * double{slope};
      }
    }
    return total * static_cast<double>(batch) / 4000.0;
  };
  const double single = mean_square(1);
  EXPECT_GT(single, 0.5);
  EXPECT_LT(single, 100.0);
  // 125 batches: relative deviation of a mean of squares about sqrt(2 / (125 * 5)) = 0.06.
  EXPECT_NEAR(mean_square(32) * 32.0, single, 0.25 * single);
}

TEST(Blobs, ClassesTakeTurnsAndShapesAreKept) {
  const DataPair pair = draw_blobs({.sample_shape = {1, 4, 4}, .classes = 5, .samples = 12});
  EXPECT_THAT(pair.train->sample_shape(), ElementsAre(1, 4, 4));
  EXPECT_EQ(pair.train->features(), 16U);
  EXPECT_EQ(pair.train->label(7), 2U);
  EXPECT_EQ(pair.train->size(), 12U);
  EXPECT_EQ(pair.test->size(), 150U);
  EXPECT_TRUE(pair.train->samples_by_peer().empty());
}

TEST(Blobs, TrainAndTestShareTheirCentres) {
  const DataPair pair = draw_blobs({.sample_shape = {50}, .classes = 2});
  const auto train = features_of(*pair.train, 0, 1);
  const auto same = features_of(*pair.test, 0, 1);
  const auto other = features_of(*pair.test, 1, 1);
  double near = 0.0;
  double far = 0.0;
  for (std::size_t k = 0; k < 50; ++k) {
    near += std::pow(train[k] - same[k], 2);
    far += std::pow(train[k] - other[k], 2);
  }
  EXPECT_LT(near, far);  // 100 against 500 in the mean
}

}  // namespace
}  // namespace starling::objective
