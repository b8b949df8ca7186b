#include "starling/objective/synthetic.hpp"

#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "starling/core/random.hpp"
#include "starling/objective/dense_dataset.hpp"

namespace starling::objective {

namespace {

constexpr double kFeatureVariance = 10.0;
constexpr double kCentreDeviation = 2.0;

/// Draws `samples` labelled samples for one peer behind those already there.
void draw_samples(std::size_t samples,
                  std::span<const float> truth,
                  Random& random,
                  DenseDataset::Contents& contents) {
  const double deviation = std::sqrt(kFeatureVariance);
  for (std::size_t k = 0; k < samples; ++k) {
    double margin = 0.0;
    for (const float weight : truth) {
      const auto feature = static_cast<float>(deviation * random.normal());
      contents.features.push_back(feature);
      margin += double{weight} * double{feature};
    }
    contents.labels.push_back(random.bernoulli(1.0 / (1.0 + std::exp(-margin))) ? 1U : 0U);
  }
  contents.samples_by_peer.push_back(samples);
}

DenseDataset::Contents empty_logistic(const SyntheticLogistic& options, std::size_t samples) {
  DenseDataset::Contents contents{
      .name = "synthetic-logistic", .sample_shape = {options.dimension}, .classes = 2};
  contents.features.reserve(options.peers * samples * options.dimension);
  contents.labels.reserve(options.peers * samples);
  return contents;
}

std::vector<float> draw_centres(const Blobs& options, std::size_t features) {
  Random random(stream_key(options.seed, stream_key("blobs, centres")));
  std::vector<float> centres(options.classes * features);
  for (float& value : centres) {
    value = static_cast<float>(kCentreDeviation * random.normal());
  }
  return centres;
}

std::shared_ptr<const Dataset> draw_around(std::span<const float> centres,
                                           const Blobs& options,
                                           std::size_t samples,
                                           Random random) {
  DenseDataset::Contents contents{
      .name = "toy", .sample_shape = options.sample_shape, .classes = options.classes};
  const std::size_t features = centres.size() / options.classes;
  for (std::size_t k = 0; k < samples; ++k) {
    const std::size_t label = k % options.classes;
    for (const float centre : centres.subspan(label * features, features)) {
      contents.features.push_back(centre + static_cast<float>(random.normal()));
    }
    contents.labels.push_back(static_cast<std::uint32_t>(label));
  }
  return std::make_shared<const DenseDataset>(std::move(contents));
}

}  // namespace

std::vector<float> true_parameters(const SyntheticLogistic& options, std::size_t peer) {
  const bool shared = options.truth == SyntheticLogistic::Truth::shared;
  Random random(stream_key(options.seed, stream_key("synthetic-logistic, truth")),
                shared ? 0 : peer);
  std::vector<float> truth(options.dimension);
  for (float& value : truth) {
    value = static_cast<float>(random.normal());
  }
  return truth;
}

DataPair draw_synthetic_logistic(const SyntheticLogistic& options) {
  DenseDataset::Contents train = empty_logistic(options, options.samples);
  DenseDataset::Contents test = empty_logistic(options, options.test_samples);
  const std::uint64_t train_key = stream_key(options.seed, stream_key("synthetic-logistic, train"));
  const std::uint64_t test_key = stream_key(options.seed, stream_key("synthetic-logistic, test"));
  for (std::size_t peer = 0; peer < options.peers; ++peer) {
    const std::vector<float> truth = true_parameters(options, peer);
    Random train_random(train_key, peer);
    Random test_random(test_key, peer);
    draw_samples(options.samples, truth, train_random, train);
    draw_samples(options.test_samples, truth, test_random, test);
  }
  return {.train = std::make_shared<const DenseDataset>(std::move(train)),
          .test = std::make_shared<const DenseDataset>(std::move(test))};
}

DataPair draw_blobs(const Blobs& options) {
  const std::size_t features = std::accumulate(options.sample_shape.begin(),
                                               options.sample_shape.end(),
                                               std::size_t{1},
                                               std::multiplies<>());
  const std::vector<float> centres = draw_centres(options, features);
  return {.train = draw_around(centres,
                               options,
                               options.samples,
                               Random(stream_key(options.seed, stream_key("blobs, train")))),
          .test = draw_around(centres,
                              options,
                              options.test_samples,
                              Random(stream_key(options.seed, stream_key("blobs, test"))))};
}

}  // namespace starling::objective
