#include "starling/model/network_objective.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>  // before the operators: clang wants it complete
#include <ATen/ops/argmax.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/relu.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/model/backend.hpp"
#include "starling/model/initialise.hpp"

namespace starling::model {

namespace {

/// Samples evaluated at once: enough for full speed, few enough to stay in a few megabytes.
constexpr std::size_t kEvaluationChunk = 256;

/// Runs `work`; what libtorch throws becomes an Error, since nothing of libtorch may cross the
/// border.
template <class Work>
auto guarded(const std::string& name, Work work) {
  prepare_backend();
  try {
    return work();
  } catch (const c10::Error& error) {
    throw Error(ExitCode::internal,
                "model '" + name + "': libtorch: " + error.what_without_backtrace());
  }
}

std::vector<std::int64_t> extents(std::span<const std::size_t> shape) {
  return {shape.begin(), shape.end()};
}

/// A tensor on the caller's memory, which libtorch takes as writable throughout.
template <class Value>
at::Tensor view(std::span<Value> memory, const std::vector<std::int64_t>& shape) {
  using Element = std::remove_const_t<Value>;
  return at::from_blob(
      const_cast<Element*>(memory.data()), shape, c10::CppTypeToScalarType<Element>::value);
}

/// The tensors of a flat vector, in the order of the layout.
template <class Value>
std::vector<at::Tensor> views(const Layout& layout, std::span<Value> flat) {
  std::vector<at::Tensor> tensors;
  tensors.reserve(layout.tensors().size());
  for (const TensorLayout& tensor : layout.tensors()) {
    tensors.push_back(view(flat.subspan(tensor.offset, tensor.elements()), extents(tensor.shape)));
  }
  return tensors;
}

/// Makes backward() add to `gradients`, which must be zero.
void attach(std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& gradients) {
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    parameters[k].set_requires_grad(true);
    parameters[k].mutable_grad() = gradients[k];
  }
}

/// True if backward() has added in place and not put another tensor there.
bool still_attached(const std::vector<at::Tensor>& parameters,
                    const std::vector<at::Tensor>& gradients) {
  return std::ranges::equal(
      parameters, gradients, [](const at::Tensor& parameter, const at::Tensor& gradient) {
        return parameter.grad().data_ptr() == gradient.data_ptr();
      });
}

/// 0 with probability `rate`, else 1 / (1 - rate): drawn here, since libtorch's own dropout draws
/// from one generator of the whole process and would never repeat for peers on threads.
at::Tensor dropout_mask(const at::Tensor& like, double rate, Random& random) {
  at::Tensor mask = at::empty_like(like);
  const auto drop_below = static_cast<std::uint32_t>(rate * 0x1.0p32);
  const auto kept = static_cast<float>(1.0 / (1.0 - rate));
  const std::span values(mask.data_ptr<float>(), static_cast<std::size_t>(mask.numel()));
  for (float& value : values) {
    value = random.next_u32() < drop_below ? 0.0F : kept;
  }
  return mask;
}

/// The network applied to a batch, a call a layer.
class Forward {
 public:
  /// @param random null: random layers are switched off
  Forward(const std::vector<at::Tensor>& parameters, at::Tensor batch, Random* random)
      : parameters_(&parameters), value_(std::move(batch)), random_(random) {}

  void operator()(const Linear& layer) {
    const auto inputs = static_cast<std::int64_t>(layer.inputs);
    if (value_.dim() != 2) {
      value_ = value_.reshape({-1, inputs});
    }
    const at::Tensor& weight = next_parameter();
    value_ = at::linear(value_, weight, next_parameter());
  }

  void operator()(const Convolution& layer) {
    const auto padding = static_cast<std::int64_t>(layer.kernel / 2);
    const at::Tensor& weight = next_parameter();
    value_ = at::conv2d(value_, weight, next_parameter(), 1, padding);
  }

  /// With the channels of a pixel side by side libtorch pools them together, otherwise pixel by
  /// pixel: a quarter of the whole step of `cnn`.
  void operator()(const MaxPool& /*layer*/) {
    value_ = at::max_pool2d(value_.contiguous(at::MemoryFormat::ChannelsLast), 2);
  }

  void operator()(const Relu& /*layer*/) { value_ = at::relu(value_); }

  void operator()(const Dropout& layer) {
    if (random_ != nullptr) {
      value_ = value_.mul(dropout_mask(value_, layer.rate, *random_));
    }
  }

  [[nodiscard]] const at::Tensor& value() const { return value_; }

 private:
  const std::vector<at::Tensor>* parameters_;
  std::size_t used_ = 0;
  at::Tensor value_;
  Random* random_;

  const at::Tensor& next_parameter() { return (*parameters_)[used_++]; }
};

/// Outputs of a batch, a row of logits a sample.
at::Tensor logits(const Architecture& network,
                  const std::vector<at::Tensor>& parameters,
                  std::span<const float> inputs,
                  Random* random) {
  std::vector<std::int64_t> shape = extents(network.input);
  shape.insert(shape.begin(), static_cast<std::int64_t>(inputs.size() / network.features));
  Forward forward(parameters, view(inputs, shape), random);
  for (const Layer& layer : network.layers) {
    std::visit(forward, layer);
  }
  return forward.value();
}

at::Tensor label_view(std::span<const std::int64_t> labels) {
  return view(labels, {static_cast<std::int64_t>(labels.size())});
}

/// Loss and correct answers of one chunk. @param answers logits of labels.size() samples
objective::Evaluation judge(const at::Tensor& answers, std::span<const std::int64_t> labels) {
  const at::Tensor losses =
      at::cross_entropy_loss(answers, label_view(labels), {}, at::Reduction::None);
  const at::Tensor guesses = at::argmax(answers, 1);
  objective::Evaluation result{.samples = labels.size(), .has_accuracy = true};
  for (std::size_t k = 0; k < labels.size(); ++k) {
    result.loss_sum += static_cast<double>(losses.data_ptr<float>()[k]);
    result.correct += guesses.data_ptr<std::int64_t>()[k] == labels[k] ? 1U : 0U;
  }
  return result;
}

/// Calls `work` with consecutive parts of the batch and the index of each part's first sample.
template <class Work>
void for_each_chunk(const objective::Batch& batch, Work work) {
  for (std::size_t first = 0; first < batch.samples.size(); first += kEvaluationChunk) {
    const std::size_t count = std::min(kEvaluationChunk, batch.samples.size() - first);
    work(objective::Batch{batch.data, batch.samples.subspan(first, count)}, first);
  }
}

}  // namespace

NetworkObjective::NetworkObjective(Architecture architecture)
    : architecture_(std::move(architecture)) {}

void NetworkObjective::initialise(std::span<float> parameters, Random& random) {
  model::initialise(architecture_.layout, parameters, random);
}

double NetworkObjective::gradient(std::span<const float> point,
                                  const objective::Batch& batch,
                                  Random& random,
                                  std::span<float> out) {
  check(point, batch);
  ensure(
      out.size() == point.size(), "one gradient element per parameter", out.size(), point.size());
  ensure(
      !batch.samples.empty(), "the mean loss of an empty batch is undefined", architecture_.name);
  load_inputs(batch);
  load_labels(batch);
  return guarded(architecture_.name, [&] {
    const c10::AutoGradMode record(true);
    std::vector<at::Tensor> parameters = views(layout(), point);
    const std::vector<at::Tensor> gradients = views(layout(), out);
    std::ranges::fill(out, 0.0F);
    attach(parameters, gradients);
    const at::Tensor answers = logits(architecture_, parameters, inputs_, &random);
    const at::Tensor loss = at::cross_entropy_loss(answers, label_view(labels_));
    loss.backward();
    ensure(still_attached(parameters, gradients),
           "libtorch has put a gradient elsewhere",
           architecture_.name);
    return static_cast<double>(loss.item<float>());
  });
}

objective::Evaluation NetworkObjective::evaluate(std::span<const float> point,
                                                 const objective::Batch& batch) {
  check(point, batch);
  return guarded(architecture_.name, [&] {
    const c10::InferenceMode no_gradients;
    const std::vector<at::Tensor> parameters = views(layout(), point);
    objective::Evaluation total{.has_accuracy = true};
    for_each_chunk(batch, [&](const objective::Batch& chunk, std::size_t /*first*/) {
      load_inputs(chunk);
      load_labels(chunk);
      const objective::Evaluation part =
          judge(logits(architecture_, parameters, inputs_, nullptr), labels_);
      total.loss_sum += part.loss_sum;
      total.correct += part.correct;
      total.samples += part.samples;
    });
    return total;
  });
}

void NetworkObjective::predict(std::span<const float> point,
                               const objective::Batch& batch,
                               std::span<float> out) {
  check(point, batch);
  ensure(out.size() == batch.samples.size() * outputs(),
         "one output per sample and class",
         out.size(),
         batch.samples.size(),
         outputs());
  guarded(architecture_.name, [&] {
    const c10::InferenceMode no_gradients;
    const std::vector<at::Tensor> parameters = views(layout(), point);
    for_each_chunk(batch, [&](const objective::Batch& chunk, std::size_t first) {
      load_inputs(chunk);
      const at::Tensor answers = logits(architecture_, parameters, inputs_, nullptr);
      view(out.subspan(first * outputs(), chunk.samples.size() * outputs()), answers.sizes().vec())
          .copy_(answers);
    });
  });
}

void NetworkObjective::check(std::span<const float> point, const objective::Batch& batch) const {
  ensure(point.size() == layout().elements(),
         "one float per parameter",
         point.size(),
         layout().elements());
  ensure(batch.data != nullptr, "a network needs data", architecture_.name);
  ensure(std::ranges::equal(batch.data->sample_shape(), architecture_.input) &&
             batch.data->classes() == architecture_.classes,
         "the data has the shape and the classes the network was made for",
         shape_text(batch.data->sample_shape()),
         batch.data->classes(),
         shape_text(architecture_.input),
         architecture_.classes);
}

void NetworkObjective::load_inputs(const objective::Batch& batch) {
  inputs_.resize(batch.samples.size() * architecture_.features);
  batch.data->gather(batch.samples, inputs_);
}

void NetworkObjective::load_labels(const objective::Batch& batch) {
  labels_.clear();
  for (const std::uint32_t sample : batch.samples) {
    const std::uint32_t label = batch.data->label(sample);
    ensure(label < architecture_.classes,
           "a label names a class",
           label,
           sample,
           architecture_.classes);
    labels_.push_back(label);
  }
}

}  // namespace starling::model
