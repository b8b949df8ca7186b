#include "starling/objective/logistic.hpp"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"
#include "starling/objective/dense_dataset.hpp"
#include "starling/objective/gradient_check.hpp"
#include "starling/objective/kernels.hpp"
#include "starling/objective/synthetic.hpp"

namespace starling::objective {
namespace {

using ::testing::Each;

std::vector<std::uint32_t> first(std::size_t samples) {
  std::vector<std::uint32_t> indices(samples);
  std::iota(indices.begin(), indices.end(), std::uint32_t{0});
  return indices;
}

std::vector<float> random_point(std::size_t size) {
  Random random(5);
  std::vector<float> point(size);
  for (float& value : point) {
    value = static_cast<float>(0.3 * random.normal());
  }
  return point;
}

/// A problem over blobs.
struct Problem {
  explicit Problem(std::size_t classes, bool bias = true, float l2 = 0.0F)
      : data(draw_blobs({.sample_shape = {5}, .classes = classes, .samples = 600}).train),
        objective({.features = 5, .classes = classes, .bias = bias, .l2 = l2}),
        point(random_point(objective.layout().elements())) {}

  std::shared_ptr<const Dataset> data;
  Logistic objective;
  std::vector<float> point;
};

/// The loss written down in double, one sample after the other.
double plain_loss(const Problem& problem, const std::vector<std::uint32_t>& samples, double l2) {
  const std::size_t classes = problem.data->classes();
  const std::size_t rows = classes == 2 ? 1 : classes;
  std::vector<float> h(5);
  double loss = 0.0;
  for (const std::uint32_t sample : samples) {
    problem.data->gather(std::span(&sample, 1), h);
    std::vector<double> z(rows);
    for (std::size_t c = 0; c < rows; ++c) {
      z[c] = problem.point[rows * 5 + c];
      for (std::size_t k = 0; k < 5; ++k) {
        z[c] += double{problem.point[c * 5 + k]} * double{h[k]};
      }
    }
    if (rows == 1) {
      z.insert(z.begin(), 0.0);
    }
    double total = 0.0;
    for (const double value : z) {
      total += std::exp(value);
    }
    loss += std::log(total) - z[problem.data->label(sample)];
  }
  double squares = 0.0;
  for (std::size_t k = 0; k < rows * 5; ++k) {
    squares += std::pow(double{problem.point[k]}, 2);
  }
  return loss / static_cast<double>(samples.size()) + 0.5 * l2 * squares;
}

class LogisticOver : public ::testing::TestWithParam<std::size_t> {};

TEST_P(LogisticOver, GradientIsTheDerivativeOfTheLoss) {
  for (const bool bias : {false, true}) {
    Problem problem(GetParam(), bias, 0.1F);
    const auto samples = first(16);
    // Curvature up to ||h||^2 ~ 25 and third derivatives of its order times ||h||: h^2 / 6 * 60
    // = 2.4e-3.
    expect_gradient_is_derivative(
        problem.objective, problem.point, {problem.data.get(), samples}, 4e-3);
  }
}

TEST_P(LogisticOver, LossIsTheFormulaInDouble) {
  Problem problem(GetParam(), true, 0.1F);
  const auto samples = first(600);  // more than two chunks
  const Batch batch{problem.data.get(), samples};
  Random random(1);
  std::vector<float> gradient(problem.point.size());
  const double expected = plain_loss(problem, samples, 0.1F);
  // Logits are floats of size about 5 with six roundings: error 6 * 5 * 6e-8 = 2e-6.
  EXPECT_NEAR(problem.objective.gradient(problem.point, batch, random, gradient), expected, 4e-6);
  EXPECT_NEAR(problem.objective.evaluate(problem.point, batch).loss(), expected, 4e-6);
}

TEST_P(LogisticOver, CorrectAnswersAreTheLargestOutputs) {
  Problem problem(GetParam());
  const auto samples = first(600);
  const Batch batch{problem.data.get(), samples};
  const std::size_t outputs = problem.objective.outputs();
  ASSERT_EQ(outputs, GetParam());
  std::vector<float> logits(samples.size() * outputs);
  problem.objective.predict(problem.point, batch, logits);
  std::size_t correct = 0;
  for (std::size_t b = 0; b < samples.size(); ++b) {
    const auto row = std::span<const float>(logits).subspan(b * outputs, outputs);
    const auto best = std::max_element(row.begin(), row.end()) - row.begin();
    correct += static_cast<std::size_t>(best) == problem.data->label(samples[b]) ? 1 : 0;
  }
  const Evaluation evaluation = problem.objective.evaluate(problem.point, batch);
  EXPECT_EQ(evaluation.correct, correct);
  EXPECT_EQ(evaluation.samples, 600U);
  EXPECT_TRUE(evaluation.has_accuracy);
}

TEST_P(LogisticOver, SeparatesBlobs) {
  Problem problem(GetParam());
  const auto samples = first(600);
  const Batch batch{problem.data.get(), samples};
  Random random(1);
  std::vector<float> x(problem.point.size());
  std::vector<float> gradient(x.size());
  problem.objective.initialise(x, random);
  const double start = problem.objective.evaluate(x, batch).loss();
  EXPECT_NEAR(start, std::log(static_cast<double>(GetParam())), 1e-6);  // equal odds
  for (int step = 0; step < 100; ++step) {
    problem.objective.gradient(x, batch, random, gradient);
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] -= 0.1F * gradient[k];
    }
  }
  // Centres are 2 sqrt(2 * 5) = 6 deviations apart in the mean, the nearest of ten about 3.
  EXPECT_GT(problem.objective.evaluate(x, batch).accuracy(), 0.8);
}

TEST_P(LogisticOver, SurvivesHugeLogits) {
  Problem problem(GetParam());
  for (float& value : problem.point) {
    value *= 1e4F;
  }
  const auto samples = first(64);
  Random random(1);
  std::vector<float> gradient(problem.point.size());
  const Batch batch{problem.data.get(), samples};
  EXPECT_TRUE(std::isfinite(problem.objective.gradient(problem.point, batch, random, gradient)));
  EXPECT_THAT(gradient, Each(::testing::Truly([](float g) { return std::isfinite(g); })));
  EXPECT_TRUE(std::isfinite(problem.objective.evaluate(problem.point, batch).loss()));
}

TEST_P(LogisticOver, PartsOfAnEvaluationAddUp) {
  Problem problem(GetParam(), true, 0.1F);
  const auto samples = first(500);
  const std::span<const std::uint32_t> all(samples);
  const Dataset* data = problem.data.get();
  const Evaluation whole = problem.objective.evaluate(problem.point, {data, all});
  const Evaluation left = problem.objective.evaluate(problem.point, {data, all.first(123)});
  const Evaluation right = problem.objective.evaluate(problem.point, {data, all.subspan(123)});
  EXPECT_NEAR(left.loss_sum + right.loss_sum, whole.loss_sum, 1e-9 * whole.loss_sum);
  EXPECT_EQ(left.correct + right.correct, whole.correct);
  EXPECT_EQ(problem.objective.evaluate(problem.point, {data, {}}).samples, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, LogisticOver, ::testing::Values(2, 3, 10));

TEST(Logistic, LayoutNamesItsTensors) {
  const Logistic binary({.features = 10, .classes = 2});
  EXPECT_EQ(binary.layout().elements(), 10U);
  const Logistic images({.features = 784, .classes = 10, .bias = true});
  EXPECT_EQ(images.layout().elements(), 7850U);
  EXPECT_EQ(images.layout().tensor_of(7840), "bias");
  EXPECT_EQ(images.flops_per_sample(), 4.0 * 7840);
}

TEST(Logistic, TheBiasIsNotPulledToZero) {
  Problem problem(3, true, 1000.0F);
  std::fill(problem.point.begin(), problem.point.end(), 0.0F);
  problem.point.back() = 5.0F;
  const auto samples = first(3);
  const Evaluation evaluation =
      problem.objective.evaluate(problem.point, {problem.data.get(), samples});
  EXPECT_LT(evaluation.loss(), 5.1);
}

TEST(Logistic, RefusesWhatDoesNotFit) {
  Problem problem(3);
  Random random(1);
  std::vector<float> out(problem.point.size());
  const auto samples = first(2);
  const Batch batch{problem.data.get(), samples};
  EXPECT_THROW(problem.objective.gradient(problem.point, {}, random, out), ContractError);
  EXPECT_THROW(problem.objective.gradient(problem.point, {problem.data.get(), {}}, random, out),
               ContractError);
  EXPECT_THROW(problem.objective.gradient(std::vector<float>(3), batch, random, out),
               ContractError);
  Logistic other({.features = 4, .classes = 3, .bias = true});
  EXPECT_THROW(other.evaluate(std::vector<float>(15), batch), ContractError);
}

TEST(Dot, AddsEveryProductOnceForEverySize) {
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<float> a(size);
    std::vector<float> b(size);
    float expected = 0.0F;
    for (std::size_t k = 0; k < size; ++k) {
      a[k] = static_cast<float>(k + 1);
      b[k] = static_cast<float>(3 * k + 1);
      expected += a[k] * b[k];
    }
    EXPECT_EQ(kernels::dot(a, b), expected) << size;  // whole numbers below 2^24: exact
  }
}

}  // namespace
}  // namespace starling::objective
