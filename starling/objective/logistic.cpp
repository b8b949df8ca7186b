#include "starling/objective/logistic.hpp"

#include <algorithm>
#include <cmath>

#include "starling/core/ensure.hpp"
#include "starling/core/span_math.hpp"
#include "starling/objective/kernels.hpp"

namespace starling::objective {

namespace {

constexpr std::size_t kChunk = 256;

/// ln(1 + exp(x)) without overflow.
double softplus(double x) {
  return x > 0.0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

/// 1 / (1 + exp(-x)) without overflow.
double sigmoid(double x) {
  if (x >= 0.0) {
    return 1.0 / (1.0 + std::exp(-x));
  }
  const double e = std::exp(x);
  return e / (1.0 + e);
}

/// Loss of one sample; its logits become the derivative of the loss by them.
double binary_derivative(std::span<float> logit, std::uint32_t label) {
  const double z = logit[0];
  const double y = label == 1 ? 1.0 : -1.0;
  logit[0] = static_cast<float>(-y * sigmoid(-y * z));
  return softplus(-y * z);
}

double softmax_derivative(std::span<float> logits, std::uint32_t label) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  const double at_label = logits[label];
  double total = 0.0;
  for (const float logit : logits) {
    total += std::exp(double{logit} - largest);
  }
  const double log_total = largest + std::log(total);
  for (float& logit : logits) {
    logit = static_cast<float>(std::exp(double{logit} - log_total));
  }
  logits[label] -= 1.0F;
  return log_total - at_label;
}

struct SampleResult {
  double loss = 0.0;
  bool correct = false;
};

SampleResult binary_result(std::span<const float> logit, std::uint32_t label) {
  const double z = logit[0];
  const double y = label == 1 ? 1.0 : -1.0;
  return {softplus(-y * z), label == (z > 0.0 ? 1U : 0U)};
}

SampleResult softmax_result(std::span<const float> logits, std::uint32_t label) {
  const auto largest = std::max_element(logits.begin(), logits.end());
  double total = 0.0;
  for (const float logit : logits) {
    total += std::exp(double{logit} - double{*largest});
  }
  const double loss = double{*largest} + std::log(total) - double{logits[label]};
  return {loss, logits.begin() + label == largest};
}

}  // namespace

Logistic::Logistic(const LogisticOptions& options)
    : options_(options), rows_(options.classes == 2 ? 1 : options.classes) {
  ensure(options.features >= 1 && options.classes >= 2,
         "logistic needs a feature and two classes",
         options.features,
         options.classes);
  layout_.append("weight", {rows_, options.features});
  if (options.bias) {
    layout_.append("bias", {rows_});
  }
}

void Logistic::initialise(std::span<float> parameters, Random&) {
  ensure(parameters.size() == layout_.elements(),
         "initialise: one number a parameter",
         parameters.size(),
         layout_.elements());
  for (float& value : parameters) {
    value = 0.0F;
  }
}

double Logistic::gradient(std::span<const float> point,
                          const Batch& batch,
                          Random&,
                          std::span<float> out) {
  check(point, batch);
  ensure(!batch.samples.empty(), "a gradient needs at least one sample");
  ensure(out.size() == point.size(), "gradient: one number a parameter", out.size(), point.size());
  compute_logits(point, batch);
  const double loss = logits_to_derivatives(batch);
  const std::size_t size = batch.samples.size();
  const std::size_t features = options_.features;
  std::fill(out.begin(), out.end(), 0.0F);
  add_scaled(options_.l2, weights(point), out.first(rows_ * features));
  const float share = 1.0F / static_cast<float>(size);
  for (std::size_t b = 0; b < size; ++b) {
    const auto sample = std::span<const float>(features_).subspan(b * features, features);
    for (std::size_t row = 0; row < rows_; ++row) {
      const float derivative = share * outputs_[b * rows_ + row];
      add_scaled(derivative, sample, out.subspan(row * features, features));
      if (options_.bias) {
        out[rows_ * features + row] += derivative;
      }
    }
  }
  return loss / static_cast<double>(size) + penalty(point);
}

Evaluation Logistic::evaluate(std::span<const float> point, const Batch& batch) {
  check(point, batch);
  Evaluation total{.has_accuracy = true};
  for (std::size_t begin = 0; begin < batch.samples.size(); begin += kChunk) {
    const std::size_t size = std::min(kChunk, batch.samples.size() - begin);
    evaluate_chunk(point, {batch.data, batch.samples.subspan(begin, size)}, total);
  }
  total.loss_sum += penalty(point) * static_cast<double>(total.samples);
  return total;
}

void Logistic::evaluate_chunk(std::span<const float> point, const Batch& chunk, Evaluation& total) {
  compute_logits(point, chunk);
  for (std::size_t b = 0; b < chunk.samples.size(); ++b) {
    const auto logits = std::span<const float>(outputs_).subspan(b * rows_, rows_);
    const std::uint32_t label = chunk.data->label(chunk.samples[b]);
    const SampleResult result =
        rows_ == 1 ? binary_result(logits, label) : softmax_result(logits, label);
    total.loss_sum += result.loss;
    total.correct += result.correct ? 1 : 0;
  }
  total.samples += chunk.samples.size();
}

void Logistic::predict(std::span<const float> point, const Batch& batch, std::span<float> out) {
  check(point, batch);
  ensure(out.size() == batch.samples.size() * outputs(),
         "predict: room for every output",
         out.size(),
         batch.samples.size(),
         outputs());
  for (std::size_t begin = 0; begin < batch.samples.size(); begin += kChunk) {
    const std::size_t size = std::min(kChunk, batch.samples.size() - begin);
    compute_logits(point, {batch.data, batch.samples.subspan(begin, size)});
    copy_logits(out.subspan(begin * outputs(), size * outputs()));
  }
}

void Logistic::copy_logits(std::span<float> out) const {
  if (rows_ > 1) {
    copy(outputs_, out);
    return;
  }
  for (std::size_t b = 0; b < outputs_.size(); ++b) {
    out[2 * b] = 0.0F;
    out[2 * b + 1] = outputs_[b];
  }
}

double Logistic::flops_per_sample() const {
  return 4.0 *
         static_cast<double>(rows_ * options_.features);  // multiply and add, forward and back
}

std::span<const float> Logistic::weights(std::span<const float> point) const {
  return point.first(rows_ * options_.features);
}

std::span<const float> Logistic::bias(std::span<const float> point) const {
  return point.subspan(rows_ * options_.features);
}

double Logistic::penalty(std::span<const float> point) const {
  if (options_.l2 == 0.0F) {
    return 0.0;
  }
  double squares = 0.0;
  for (const float weight : weights(point)) {
    squares += double{weight} * double{weight};
  }
  return 0.5 * double{options_.l2} * squares;
}

void Logistic::check(std::span<const float> point, const Batch& batch) const {
  ensure(point.size() == layout_.elements(),
         "logistic: one number a parameter",
         point.size(),
         layout_.elements());
  ensure(batch.data != nullptr, "logistic needs data");
  ensure(batch.data->features() == options_.features && batch.data->classes() == options_.classes,
         "logistic: the data has another shape",
         batch.data->features(),
         batch.data->classes());
}

void Logistic::compute_logits(std::span<const float> point, const Batch& batch) {
  features_.resize(batch.samples.size() * options_.features);
  outputs_.resize(batch.samples.size() * rows_);
  batch.data->gather(batch.samples, features_);
  kernels::rows_times_rows(features_, weights(point), bias(point), options_.features, outputs_);
}

double Logistic::logits_to_derivatives(const Batch& batch) {
  double loss = 0.0;
  for (std::size_t b = 0; b < batch.samples.size(); ++b) {
    const auto logits = std::span<float>(outputs_).subspan(b * rows_, rows_);
    const std::uint32_t label = batch.data->label(batch.samples[b]);
    loss += rows_ == 1 ? binary_derivative(logits, label) : softmax_derivative(logits, label);
  }
  return loss;
}

}  // namespace starling::objective
