// Networks learn: real images, one peer.
#include <gtest/gtest.h>

#include "starling/model/test_images.hpp"

namespace starling::model {
namespace {

/// Test accuracy after `steps` of plain gradient descent on Fashion-MNIST.
double accuracy_after(const std::string& name, std::size_t steps, float learning_rate) {
  const objective::DataPair data = objective::load_data({});
  const auto network = make_network(name, *data.train);
  std::vector<float> point = fresh_parameters(*network);
  std::vector<float> gradient(point.size());
  auto order = first_samples(data.train->size());
  Random random(1);
  random.shuffle(std::span(order));
  constexpr std::size_t batch_size = 32;
  for (std::size_t step = 0; step < steps; ++step) {
    const auto batch = std::span(order).subspan(step * batch_size, batch_size);
    network->gradient(point, {data.train.get(), batch}, random, gradient);
    for (std::size_t k = 0; k < point.size(); ++k) {
      point[k] -= learning_rate * gradient[k];
    }
  }
  const auto all = first_samples(data.test->size());
  return network->evaluate(point, {data.test.get(), all}).accuracy();
}

TEST(Training, LinearPassesEightyPercentInSixHundredSteps) {
  EXPECT_GT(accuracy_after("linear", 600, 0.02F), 0.80);
}

TEST(Training, ConvolutionsPassEightyFivePercentInOneEpoch) {
  EXPECT_GT(accuracy_after("cnn", 1875, 0.05F), 0.85);
}

}  // namespace
}  // namespace starling::model
