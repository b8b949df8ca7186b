// The same bits again: on one thread or several, with random layers or without.
#include <thread>

#include <gtest/gtest.h>

#include "starling/model/test_images.hpp"

namespace starling::model {
namespace {

constexpr std::size_t kBatch = 8;

/// Ten steps of plain gradient descent with the chance of peer `peer`; ends at the parameters.
std::vector<float> train(const std::string& name, const TestImages& data, std::uint64_t peer) {
  const auto network = make_network(name, data);
  std::vector<float> point = fresh_parameters(*network);
  std::vector<float> gradient(point.size());
  const auto samples = first_samples(data.size());
  Random random(7, peer);
  for (std::size_t step = 0; step < 10; ++step) {
    const auto batch = std::span(samples).subspan(step % 4 * kBatch, kBatch);
    network->gradient(point, {&data, batch}, random, gradient);
    for (std::size_t k = 0; k < point.size(); ++k) {
      point[k] -= 0.05F * gradient[k];
    }
  }
  return point;
}

TEST(Repeat, PeersOnThreadsGetTheBitsOfOneAfterTheOther) {
  const TestImages data({});
  for (const char* name : {"linear", "mlp:dropout=0.3", "cnn:dropout=0.3"}) {
    SCOPED_TRACE(name);
    constexpr std::size_t peers = 4;
    std::vector<std::vector<float>> together(peers);
    {
      std::vector<std::jthread> threads;
      for (std::size_t peer = 0; peer < peers; ++peer) {
        threads.emplace_back([&, peer] { together[peer] = train(name, data, peer); });
      }
    }
    for (std::size_t peer = 0; peer < peers; ++peer) {
      EXPECT_EQ(train(name, data, peer), together[peer]) << "peer " << peer;
    }
  }
}

TEST(Repeat, DropoutDrawsFromTheGivenStreamAlone) {
  const TestImages data({});
  const auto samples = first_samples(kBatch);
  const auto network = make_network("mlp:32:dropout=0.5", data);
  const std::vector<float> point = fresh_parameters(*network);
  const auto gradient_with = [&](Random random) {
    std::vector<float> gradient(point.size());
    network->gradient(point, {&data, samples}, random, gradient);
    EXPECT_EQ(random.state().position, 32 * kBatch) << "one word per hidden value";
    return gradient;
  };
  const std::vector<float> first = gradient_with(Random(7, 1));
  EXPECT_NE(gradient_with(Random(7, 2)), first);
  EXPECT_EQ(gradient_with(Random(7, 1)), first);
  const double before = network->evaluate(point, {&data, samples}).loss_sum;
  EXPECT_EQ(network->evaluate(point, {&data, samples}).loss_sum, before);
}

TEST(Repeat, DropoutKeepsTheExpectedGradient) {
  // With output weights 0 the outputs, and so softmax - label, do not depend on the masks; the
  // gradient of the output weights, (softmax - label) times the masked hidden values, is then
  // linear in them, and its mean over many masks must be the gradient without dropout.
  const TestImages data({});
  const auto samples = first_samples(kBatch);
  const auto plain = make_network("mlp:16", data);
  const auto dropping = make_network("mlp:16:dropout=0.25", data);
  std::vector<float> point = fresh_parameters(*plain);
  const TensorLayout& output_weight = plain->layout().tensors()[2];
  std::ranges::fill(std::span(point).subspan(output_weight.offset, output_weight.elements()), 0.0F);
  std::vector<float> expected(point.size());
  std::vector<float> gradient(point.size());
  Random random(9);
  plain->gradient(point, {&data, samples}, random, expected);
  EXPECT_EQ(random.state().position, 0U) << "a network without random layers draws nothing";

  constexpr std::size_t draws = 2000;
  std::vector<double> mean(point.size(), 0.0);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    dropping->gradient(point, {&data, samples}, random, gradient);
    for (std::size_t k = 0; k < mean.size(); ++k) {
      mean[k] += static_cast<double>(gradient[k]) / draws;
    }
  }
  // A value counts 4/3 with probability 3/4, else 0: deviation sqrt(1/3) of itself. Hidden values
  // are below 6 here and |softmax - label| below 1, so the mean of 8 samples deviates by at most 6
  // * 0.58 / sqrt(8) = 1.23, and that of 2000 draws by 0.028; a wrong scale of 3/4 shows as 0.1.
  for (std::size_t k = output_weight.offset; k < output_weight.range().end; ++k) {
    EXPECT_NEAR(mean[k], expected[k], 0.05);
  }
}

}  // namespace
}  // namespace starling::model
