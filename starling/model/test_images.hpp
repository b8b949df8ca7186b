// Small labelled images for the tests of the networks, and a network for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "starling/core/random.hpp"
#include "starling/objective/catalog.hpp"
#include "starling/objective/dataset.hpp"
#include "starling/objective/objective.hpp"

namespace starling::model {

/// Normal noise as images; labels go round.
class TestImages final : public objective::Dataset {
 public:
  struct Form {
    std::size_t samples = 40;
    std::vector<std::size_t> shape = {1, 8, 8};
    std::size_t classes = 4;
    std::uint32_t label_offset = 0;  ///< added to every label, to break the promise of a data set
  };

  explicit TestImages(const Form& form) : form_(form) {
    features_ = std::accumulate(
        form_.shape.begin(), form_.shape.end(), std::size_t{1}, std::multiplies<>());
    Random random(11, form_.samples);
    pixels_.resize(form_.samples * features_);
    for (float& pixel : pixels_) {
      pixel = static_cast<float>(random.normal());
    }
  }

  [[nodiscard]] const std::string& name() const override { return name_; }

  [[nodiscard]] std::size_t size() const override { return form_.samples; }

  [[nodiscard]] std::span<const std::size_t> sample_shape() const override { return form_.shape; }

  [[nodiscard]] std::size_t features() const override { return features_; }

  [[nodiscard]] std::size_t classes() const override { return form_.classes; }

  [[nodiscard]] std::uint32_t label(std::size_t sample) const override {
    return static_cast<std::uint32_t>(sample % form_.classes) + form_.label_offset;
  }

  void gather(std::span<const std::uint32_t> samples, std::span<float> out) const override {
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const auto pixels = std::span(pixels_).subspan(samples[k] * features_, features_);
      std::ranges::copy(pixels, out.subspan(k * features_).begin());
    }
  }

 private:
  Form form_;
  std::string name_ = "test-images";
  std::size_t features_ = 0;
  std::vector<float> pixels_;
};

/// 0, 1, ..., count-1.
inline std::vector<std::uint32_t> first_samples(std::size_t count) {
  std::vector<std::uint32_t> samples(count);
  std::iota(samples.begin(), samples.end(), 0U);
  return samples;
}

/// Opened through the plug-in, as the program does.
inline std::unique_ptr<objective::Objective> make_network(const std::string& name,
                                                          const objective::Dataset& data) {
  objective::ModelOptions options;
  options.name = name;
  return objective::make_objective(options, &data);
}

inline std::vector<float> fresh_parameters(objective::Objective& network) {
  std::vector<float> parameters(network.layout().elements());
  Random random(3, 5);
  network.initialise(parameters, random);
  return parameters;
}

}  // namespace starling::model
