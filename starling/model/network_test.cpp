// The numbers of a network: gradients, losses, outputs, and where they are written.
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/model/test_images.hpp"

namespace starling::model {
namespace {

using objective::Batch;

/// The slopes of the loss to the right and to the left, one parameter after the other.
void expect_gradient_of_loss(const std::string& name) {
  SCOPED_TRACE(name);
  const TestImages data({.samples = 12, .shape = {2, 4, 6}, .classes = 3});
  const auto samples = first_samples(data.size());
  const auto network = make_network(name, data);
  std::vector<float> point = fresh_parameters(*network);
  std::vector<float> gradient(point.size());
  std::vector<float> unused(point.size());
  const auto loss_and_gradient = [&](std::span<float> out) {
    Random same_masks_each_time(4, 4);
    return network->gradient(point, {&data, samples}, same_masks_each_time, out);
  };
  const double loss = loss_and_gradient(gradient);
  EXPECT_GT(*std::ranges::max_element(gradient), 0.05F) << "a flat loss proves nothing";
  // A gradient lies between the two slopes, also where a ReLU or max-pooling has its kink on one
  // side. The loss, about 1, is a float: 1.2e-7 / h = 6e-5 of rounding in a slope; the network's
  // own sums are shorter than 100 terms, so another ten times that is room enough.
  constexpr float step = 2e-3F;
  constexpr double tolerance = 6e-4;
  for (std::size_t k = 0; k < point.size(); ++k) {
    const float kept = point[k];
    point[k] = kept + step;
    const double right = (loss_and_gradient(unused) - loss) / step;
    point[k] = kept - step;
    const double left = (loss - loss_and_gradient(unused)) / step;
    point[k] = kept;
    EXPECT_GE(gradient[k], std::min(left, right) - tolerance) << network->layout().tensor_of(k);
    EXPECT_LE(gradient[k], std::max(left, right) + tolerance) << network->layout().tensor_of(k);
  }
}

TEST(Network, GradientIsThatOfTheLoss) {
  for (const char* name : {"linear", "mlp:7x5", "mlp:9:dropout=0.4", "cnn:2x3"}) {
    expect_gradient_of_loss(name);
  }
}

TEST(Network, GradientFillsItsSpanAndNothingElse) {
  const TestImages data({});
  const auto samples = first_samples(8);
  for (const char* name : {"mlp:16", "cnn"}) {
    SCOPED_TRACE(name);
    const auto network = make_network(name, data);
    const std::vector<float> point = fresh_parameters(*network);
    Random random(1);
    std::vector<float> expected(point.size(), 0.0F);
    network->gradient(point, {&data, samples}, random, expected);

    // One float off, with rubbish inside: the bits must not depend on alignment or on what was
    // there.
    std::vector<float> shifted_point(point.size() + 1);
    std::ranges::copy(point, shifted_point.begin() + 1);
    std::vector<float> framed(point.size() + 2, 1e30F);
    network->gradient(std::span(shifted_point).subspan(1),
                      {&data, samples},
                      random,
                      std::span(framed).subspan(1, point.size()));
    EXPECT_EQ(framed.front(), 1e30F);
    EXPECT_EQ(framed.back(), 1e30F);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), framed.begin() + 1));
    EXPECT_TRUE(std::equal(point.begin(), point.end(), shifted_point.begin() + 1));
  }
}

TEST(Network, EvaluationAgreesWithPredictions) {
  const TestImages data({.samples = 600});  // more than one chunk, the last one short
  const auto samples = first_samples(data.size());
  const auto network = make_network("cnn:dropout=0.5", data);
  const std::vector<float> point = fresh_parameters(*network);
  std::vector<float> outputs(samples.size() * network->outputs());
  network->predict(point, {&data, samples}, outputs);

  double loss_sum = 0.0;
  std::size_t correct = 0;
  for (const std::uint32_t sample : samples) {
    const auto row = std::span(outputs).subspan(sample * data.classes(), data.classes());
    double total = 0.0;
    for (const float output : row) {
      total += std::exp(static_cast<double>(output));
    }
    loss_sum += std::log(total) - static_cast<double>(row[data.label(sample)]);
    correct += std::ranges::max_element(row) - row.begin() == data.label(sample) ? 1U : 0U;
  }
  const objective::Evaluation found = network->evaluate(point, {&data, samples});
  EXPECT_EQ(found.samples, samples.size());
  EXPECT_EQ(found.correct, correct);
  EXPECT_TRUE(found.has_accuracy);
  // Each sample's loss, about 2, is a float with a few roundings: 600 * 4 * 2^-23 at worst.
  EXPECT_NEAR(found.loss_sum, loss_sum, 3e-4);
  EXPECT_EQ(network->evaluate(point, {&data, {}}).samples, 0U);
}

TEST(Network, RefusesWhatDoesNotFit) {
  const TestImages data({});
  const TestImages wider({.shape = {1, 8, 9}});
  const TestImages more_classes({.classes = 5});
  const TestImages false_labels({.label_offset = 1});
  const auto samples = first_samples(4);
  const auto network = make_network("mlp:3", data);
  const std::vector<float> point = fresh_parameters(*network);
  std::vector<float> out(point.size());
  Random random(1);
  const auto gradient = [&](const Batch& batch, std::span<const float> at) {
    network->gradient(at, batch, random, out);
  };
  EXPECT_NO_THROW(gradient({&data, samples}, point));
  EXPECT_THROW(gradient({&wider, samples}, point), ContractError);
  EXPECT_THROW(gradient({&more_classes, samples}, point), ContractError);
  EXPECT_THROW(gradient({&false_labels, samples}, point), ContractError);
  EXPECT_THROW(gradient({nullptr, samples}, point), ContractError);
  EXPECT_THROW(gradient({&data, {}}, point), ContractError);
  EXPECT_THROW(gradient({&data, samples}, std::span(point).first(5)), ContractError);
  EXPECT_THROW(network->predict(point, {&data, samples}, std::span(out).first(3)), ContractError);
}

TEST(Network, OutOfMemoryIsAnErrorThatNamesTheModel) {
  const TestImages data({.samples = 1, .shape = {1, 28, 28}});
  const std::vector<std::uint32_t> samples(20000, 0);  // 500 MB behind the first convolution
  const auto network = make_network("cnn", data);
  const std::vector<float> point = fresh_parameters(*network);
  std::vector<float> out(point.size());
  Random random(1);
  network->gradient(point, {&data, std::span(samples).first(2)}, random, out);  // loads the kernels

  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t used = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit tight{used + (rlim_t{256} << 20), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  std::string message;
  try {
    network->gradient(point, {&data, samples}, random, out);
  } catch (const Error& error) {
    message = error.what();
  }
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_NE(message.find("model 'cnn': libtorch: "), std::string::npos) << message;
}

}  // namespace
}  // namespace starling::model
