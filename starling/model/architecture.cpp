#include "starling/model/architecture.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "starling/core/error.hpp"
#include "starling/core/text.hpp"

namespace starling::model {

namespace {

constexpr std::size_t kMaxWidth = 65536;
constexpr std::size_t kMaxLayers = 16;
constexpr std::size_t kMaxParameters = std::size_t{1} << 30;
constexpr std::size_t kKernel = 5;
constexpr std::size_t kHiddenOfCnn = 64;

/// The parts of a name like "mlp:512x256:dropout=0.2".
struct Arguments {
  std::vector<std::size_t> sizes;
  double dropout = 0.0;
};

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw ConfigError("model '" + name + "': " + why);
}

std::vector<std::size_t> parse_sizes(const std::string& name, const std::string& text) {
  std::vector<std::size_t> sizes;
  for (const std::string& part : split(text, 'x')) {
    const std::optional<std::size_t> size = parse_size(part);
    if (!size || *size == 0 || *size > kMaxWidth) {
      refuse(name,
             "a size must be a whole number from 1 to " + std::to_string(kMaxWidth) + ", found '" +
                 part + "'; sizes are written like 512x256");
    }
    sizes.push_back(*size);
  }
  if (sizes.size() > kMaxLayers) {
    refuse(
        name,
        "at most " + std::to_string(kMaxLayers) + " sizes, found " + std::to_string(sizes.size()));
  }
  return sizes;
}

double parse_dropout(const std::string& name, const std::string& text) {
  const std::optional<double> rate = parse_double(text);
  if (!rate || !(*rate >= 0.0 && *rate < 1.0)) {
    refuse(name, "dropout must be a number from 0 to below 1, found '" + text + "'");
  }
  return *rate;
}

Arguments parse_arguments(const std::string& name,
                          std::span<const std::string> parts,
                          std::vector<std::size_t> default_sizes) {
  constexpr std::string_view dropout = "dropout=";
  Arguments arguments{std::move(default_sizes), 0.0};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].starts_with(dropout)) {
      arguments.dropout = parse_dropout(name, parts[k].substr(dropout.size()));
    } else if (k == 0) {
      arguments.sizes = parse_sizes(name, parts[k]);
    } else {
      refuse(name, "behind the sizes only dropout=RATE is understood, found '" + parts[k] + "'");
    }
  }
  return arguments;
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

Architecture design_linear(Architecture start, std::span<const std::string> arguments) {
  if (!arguments.empty()) {
    refuse(start.name, "linear takes no arguments; layers are added with mlp:WIDTH");
  }
  Builder builder(start);
  builder.linear("linear", start.features, start.classes);
  return builder.finish();
}

/// Hidden layers, each with ReLU and dropout, then the output layer; named fc1, fc2, ...
void add_classifier(Builder& builder,
                    std::size_t inputs,
                    const Arguments& hidden,
                    std::size_t classes) {
  std::size_t number = 1;
  for (const std::size_t width : hidden.sizes) {
    builder.linear("fc" + std::to_string(number++), inputs, width);
    builder.relu();
    builder.dropout(hidden.dropout);
    inputs = width;
  }
  builder.linear("fc" + std::to_string(number), inputs, classes);
}

Architecture design_mlp(Architecture start, std::span<const std::string> parts) {
  const Arguments arguments = parse_arguments(start.name, parts, {256});
  Builder builder(start);
  add_classifier(builder, start.features, arguments, start.classes);
  return builder.finish();
}

Architecture design_cnn(Architecture start, std::span<const std::string> parts) {
  const Arguments arguments = parse_arguments(start.name, parts, {8, 16});
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
  for (const std::size_t channels_out : arguments.sizes) {
    if (height < 2 || width < 2) {
      refuse(start.name,
             "images of " + shape_text(start.input) + " can be halved " +
                 std::to_string(number - 1) + " times, found " +
                 std::to_string(arguments.sizes.size()) + " numbers of channels");
    }
    builder.convolution(
        "conv" + std::to_string(number++), {channels, channels_out, kKernel}, height * width);
    builder.max_pool();
    builder.relu();
    channels = channels_out;
    height /= 2;
    width /= 2;
  }
  add_classifier(
      builder, channels * height * width, {{kHiddenOfCnn}, arguments.dropout}, start.classes);
  return builder.finish();
}

struct Family {
  std::string_view name;
  Architecture (*design)(Architecture start, std::span<const std::string> arguments);
};

constexpr std::array<Family, 3> kFamilies = {
    Family{"linear", design_linear}, Family{"mlp", design_mlp}, Family{"cnn", design_cnn}};

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
  const std::vector<std::string> parts = split(name, ':');
  std::vector<std::string> known;
  for (const Family& family : kFamilies) {
    if (family.name == parts.front()) {
      return family.design(std::move(start), std::span(parts).subspan(1));
    }
    known.emplace_back(family.name);
  }
  throw ConfigError("there is no network '" + parts.front() + "'" +
                    suggestion(parts.front(), known));
}

}  // namespace starling::model
