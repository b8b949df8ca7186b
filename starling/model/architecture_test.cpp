// Which networks there are: their tensors, their fresh parameters, and what is refused.
#include <cmath>

#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/core/sha256.hpp"
#include "starling/model/test_images.hpp"

namespace starling::model {
namespace {

std::vector<std::string> describe(const Layout& layout) {
  std::vector<std::string> lines;
  for (const TensorLayout& tensor : layout.tensors()) {
    lines.push_back(tensor.name + " " + shape_text(tensor.shape) + " at " +
                    std::to_string(tensor.offset));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Architecture, LayoutNamesTheTensorsOfEveryNetwork) {
  const TestImages data({.samples = 1, .shape = {3, 28, 28}, .classes = 10});
  EXPECT_EQ(describe(make_network("linear", data)->layout()),
            (Lines{"linear.weight 10x2352 at 0", "linear.bias 10 at 23520"}));
  EXPECT_EQ(describe(make_network("mlp:6x5", data)->layout()),
            (Lines{"fc1.weight 6x2352 at 0",
                   "fc1.bias 6 at 14112",
                   "fc2.weight 5x6 at 14118",
                   "fc2.bias 5 at 14148",
                   "fc3.weight 10x5 at 14153",
                   "fc3.bias 10 at 14203"}));
  EXPECT_EQ(describe(make_network("cnn", data)->layout()),
            (Lines{"conv1.weight 8x3x5x5 at 0",
                   "conv1.bias 8 at 600",
                   "conv2.weight 16x8x5x5 at 608",
                   "conv2.bias 16 at 3808",
                   "fc1.weight 64x784 at 3824",
                   "fc1.bias 64 at 54000",
                   "fc2.weight 10x64 at 54064",
                   "fc2.bias 10 at 54704"}));
  EXPECT_EQ(make_network("mlp", data)->layout().tensors()[0].shape,
            (std::vector<std::size_t>{256, 2352}));
  EXPECT_EQ(make_network("cnn", data)->outputs(), 10U);
}

TEST(Architecture, CountsTheWorkOfAStep) {
  const TestImages data({.samples = 1, .shape = {1, 4, 4}, .classes = 2});
  // Forward and weight gradient: 2 + 2 per weight and use; behind the first layer 2 more for its
  // input.
  EXPECT_EQ(make_network("linear", data)->flops_per_sample(), 4.0 * 16 * 2);
  EXPECT_EQ(make_network("mlp:3", data)->flops_per_sample(), 4.0 * 16 * 3 + 6.0 * 3 * 2);
  EXPECT_EQ(make_network("cnn:2", data)->flops_per_sample(),
            4.0 * 25 * 2 * 16 + 6.0 * (8 * 64 + 64 * 2));
}

TEST(Architecture, FreshParametersAreTheSameBitsOnEveryMachine) {
  const TestImages data({.samples = 1, .shape = {1, 28, 28}, .classes = 10});
  const auto network = make_network("cnn", data);
  const std::vector<float> fresh = fresh_parameters(*network);
  const auto tensors = network->layout().tensors();
  // He: the variance of uniform [-b, b) is b^2 / 3 = 2 / fan_in; 1 / fan_in at the outputs. The
  // spread of an estimate from N values is sqrt(4/5 / N): 0.016 of it for 3200, 0.035 for 640; five
  // times that.
  for (const std::size_t k : {std::size_t{2}, std::size_t{6}}) {
    const auto weights = std::span(fresh).subspan(tensors[k].offset, tensors[k].elements());
    const double fan_in =
        static_cast<double>(tensors[k].elements()) / static_cast<double>(tensors[k].shape[0]);
    double squares = 0.0;
    for (const float weight : weights) {
      squares += static_cast<double>(weight) * static_cast<double>(weight);
    }
    const double variance = squares / static_cast<double>(weights.size());
    EXPECT_NEAR(variance * fan_in, k == 2 ? 2.0 : 1.0, k == 2 ? 0.16 : 0.18) << tensors[k].name;
  }
  for (const float bias : std::span(fresh).subspan(tensors[1].offset, tensors[1].elements())) {
    EXPECT_EQ(bias, 0.0F);
  }
  EXPECT_EQ(to_hex(sha256(std::as_bytes(std::span(fresh)))),
            "ea5ff64c38c33e035db0c479cef1474bd0c3a06407cc56d8e7c95e42bc7c9bc1");
}

TEST(Architecture, RefusesNamesAndDataThatDoNotFit) {
  struct Case {
    const char* name;
    std::vector<std::size_t> shape;
    std::size_t classes;
    const char* says;
  };

  const std::vector<std::size_t> image = {1, 28, 28};
  const Case cases[] = {
      {"linear:3", image, 10, "linear takes no arguments"},
      {"mlp:0", image, 10, "from 1 to 65536, found '0'"},
      {"mlp:12x", image, 10, "found ''"},
      {"mlp:-3", image, 10, "found '-3'"},
      {"mlp:99999999999999999999", image, 10, "from 1 to 65536"},
      {"mlp:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", image, 10, "at most 16 sizes, found 17"},
      {"mlp:65536x65536", image, 10, "more than 2^30 parameters"},
      {"mlp:8:9", image, 10, "only dropout=RATE is understood, found '9'"},
      {"mlp:dropout=1", image, 10, "from 0 to below 1, found '1'"},
      {"mlp:dropout=nan", image, 10, "from 0 to below 1, found 'nan'"},
      {"mlp:drop=0.1", image, 10, "found 'drop=0.1'"},
      {"cnn", {784}, 10, "channels x height x width, found samples of shape 784"},
      {"cnn:4x4x4", {1, 5, 28}, 10, "can be halved 2 times, found 3 numbers of channels"},
      {"mlp", image, 1, "two classes or more"},
      {"mlp", {1, 0, 28}, 10, "two classes or more, found samples of shape 1x0x28"},
  };
  for (const Case& wrong : cases) {
    SCOPED_TRACE(wrong.name);
    const TestImages data({.samples = 1, .shape = wrong.shape, .classes = wrong.classes});
    try {
      make_network(wrong.name, data);
      ADD_FAILURE() << "accepted";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(wrong.says), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace starling::model
