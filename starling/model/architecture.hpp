// What the name of a network means: its layers, its parameters and its cost. Knows nothing of
// libtorch.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "starling/core/layout.hpp"

namespace starling::model {

/// y = W x + b on the flattened features of a sample. Two tensors: W (outputs x inputs) and b.
struct Linear {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
};

/// Square kernels of odd size, padded so that the image keeps its size. Two tensors: the kernels
/// (channels_out x channels_in x size x size) and one bias a channel.
struct Convolution {
  std::size_t channels_in = 0;
  std::size_t channels_out = 0;
  std::size_t kernel = 0;
};

/// The largest of each window of 2 x 2 pixels.
struct MaxPool {};

struct Relu {};

/// Each value is set to 0 with probability `rate`, else divided by 1 - rate; nothing in evaluation.
struct Dropout {
  double rate = 0.0;
};

using Layer = std::variant<Linear, Convolution, MaxPool, Relu, Dropout>;

/// A network as a chain of layers. The tensors of the layout are those of the layers, in order.
struct Architecture {
  std::string name;
  std::vector<std::size_t> input;  ///< shape of a sample
  std::size_t features = 0;        ///< product of input
  std::size_t classes = 0;
  std::vector<Layer> layers;
  Layout layout;
  /// Multiplications and additions of forward and backward pass. The first layer's backward pass is
  /// half of the others', since nobody needs the gradient of the data.
  double flops_per_sample = 0.0;
};

/// The network called `name`:
///   linear  softmax regression
///   mlp     ReLU layers, then linear. mlp:512x256 gives their widths; one of 256 by default
///   cnn     convolutions of 5 x 5, each with max-pooling and ReLU, then a ReLU layer of 64, then
///   linear.
///           cnn:8x16, the default, gives the channels
/// mlp and cnn take :dropout=RATE behind that, for dropout after each ReLU layer (not after
/// convolutions).
/// @throws ConfigError for an unknown name, arguments out of range, or data that does not fit
Architecture design(const std::string& name,
                    std::span<const std::size_t> sample_shape,
                    std::size_t classes);

}  // namespace starling::model
