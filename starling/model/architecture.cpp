#include "starling/model/architecture.hpp"

#include <utility>

#include "starling/core/error.hpp"
#include "starling/objective/network_name.hpp"

namespace starling::model {

namespace {

using objective::NetworkName;

constexpr std::size_t kMaxParameters = std::size_t{1} << 30;
constexpr std::size_t kKernel = 5;
constexpr std::size_t kHiddenOfCnn = 64;

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw ConfigError("model '" + name + "': " + why);
}

std::vector<std::size_t> sizes_or(const NetworkName& name,
                                  const std::vector<std::size_t>& standard) {
  return name.sizes.empty() ? standard : name.sizes;
}

/// Puts layers one behind the other and keeps the books of tensors and cost.
class Builder {
 public:
  explicit Builder(Architecture start) : network_(std::move(start)) {}

  void linear(const std::string& name, std::size_t inputs, std::size_t outputs) {
    add_tensors(name, {outputs, inputs}, 1);
    network_.layers.emplace_back(Linear{inputs, outputs});
  }

  void convolution(const std::string& name, const Convolution& layer, std::size_t pixels) {
    add_tensors(name, {layer.channels_out, layer.channels_in, layer.kernel, layer.kernel}, pixels);
    network_.layers.emplace_back(layer);
  }

  void max_pool() { network_.layers.emplace_back(MaxPool{}); }

  void relu() { network_.layers.emplace_back(Relu{}); }

  void dropout(double rate) {
    if (rate > 0.0) {
      network_.layers.emplace_back(Dropout{rate});
    }
  }

  Architecture finish() { return std::move(network_); }

 private:
  Architecture network_;

  void add_tensors(const std::string& name, std::vector<std::size_t> shape, std::size_t uses) {
    const std::size_t outputs = shape.front();
    const bool first = network_.layout.tensors().empty();
    network_.layout.append(name + ".weight", std::move(shape));
    const std::size_t weights = network_.layout.elements();
    const std::size_t own = network_.layout.tensors().back().elements();
    network_.layout.append(name + ".bias", {outputs});
    if (weights > kMaxParameters) {
      refuse(network_.name, "more than 2^30 parameters; choose smaller sizes");
    }
    network_.flops_per_sample +=
        (first ? 4.0 : 6.0) * static_cast<double>(own) * static_cast<double>(uses);
  }
};

Architecture design_linear(const Architecture& start) {
  Builder builder(start);
  builder.linear("linear", start.features, start.classes);
  return builder.finish();
}

/// The layers between the features and the outputs.
struct Hidden {
  std::vector<std::size_t> widths;
  double dropout = 0.0;
};

/// Hidden layers, each with ReLU and dropout, then the output layer; named fc1, fc2, ...
void add_classifier(Builder& builder,
                    std::size_t inputs,
                    const Hidden& hidden,
                    std::size_t classes) {
  std::size_t number = 1;
  for (const std::size_t width : hidden.widths) {
    builder.linear("fc" + std::to_string(number++), inputs, width);
    builder.relu();
    builder.dropout(hidden.dropout);
    inputs = width;
  }
  builder.linear("fc" + std::to_string(number), inputs, classes);
}

Architecture design_mlp(const Architecture& start, const NetworkName& name) {
  Builder builder(start);
  const Hidden hidden{sizes_or(name, {256}), name.dropout};
  add_classifier(builder, start.features, hidden, start.classes);
  return builder.finish();
}

Architecture design_cnn(const Architecture& start, const NetworkName& name) {
  const std::vector<std::size_t> sizes = sizes_or(name, {8, 16});
  if (start.input.size() != 3) {
    refuse(start.name,
           "needs images as channels x height x width, found samples of shape " +
               shape_text(start.input) + "; use mlp or linear");
  }
  std::size_t channels = start.input[0];
  std::size_t height = start.input[1];
  std::size_t width = start.input[2];
  Builder builder(start);
  std::size_t number = 1;
  for (const std::size_t channels_out : sizes) {
    if (height < 2 || width < 2) {
      refuse(start.name,
             "images of " + shape_text(start.input) + " can be halved " +
                 std::to_string(number - 1) + " times, found " + std::to_string(sizes.size()) +
                 " numbers of channels");
    }
    builder.convolution(
        "conv" + std::to_string(number++), {channels, channels_out, kKernel}, height * width);
    builder.max_pool();
    builder.relu();
    channels = channels_out;
    height /= 2;
    width /= 2;
  }
  add_classifier(builder, channels * height * width, {{kHiddenOfCnn}, name.dropout}, start.classes);
  return builder.finish();
}

}  // namespace

Architecture design(const std::string& name,
                    std::span<const std::size_t> sample_shape,
                    std::size_t classes) {
  Architecture start;
  start.name = name;
  start.input.assign(sample_shape.begin(), sample_shape.end());
  start.features = 1;
  for (const std::size_t extent : sample_shape) {
    start.features *= extent;
  }
  start.classes = classes;
  if (start.features == 0 || classes < 2) {
    refuse(name,
           "needs labelled data of two classes or more, found samples of shape " +
               shape_text(sample_shape) + " in " + std::to_string(classes) + " classes");
  }
  const NetworkName parsed = objective::parse_network_name(name);
  switch (parsed.family) {
    case objective::NetworkFamily::linear:
      return design_linear(start);
    case objective::NetworkFamily::mlp:
      return design_mlp(start, parsed);
    case objective::NetworkFamily::cnn:
      return design_cnn(start, parsed);
  }
  return start;
}

}  // namespace starling::model
