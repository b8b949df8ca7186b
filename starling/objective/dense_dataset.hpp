// Samples held as floats in memory: what synthetic data is made of, and small sets of the user's
// own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "starling/objective/dataset.hpp"

namespace starling::objective {

class DenseDataset final : public Dataset {
 public:
  struct Contents {
    std::string name;
    std::vector<std::size_t> sample_shape;
    std::size_t classes = 0;
    std::vector<float> features{};               ///< one sample after the other
    std::vector<std::uint32_t> labels{};         ///< one a sample
    std::vector<std::size_t> samples_by_peer{};  ///< empty, or sums to the number of samples
  };

  /// @throws ContractError if the parts do not fit each other or a label is out of range
  explicit DenseDataset(Contents contents);

  [[nodiscard]] const std::string& name() const override { return contents_.name; }

  [[nodiscard]] std::size_t size() const override { return contents_.labels.size(); }

  [[nodiscard]] std::span<const std::size_t> sample_shape() const override {
    return contents_.sample_shape;
  }

  [[nodiscard]] std::size_t features() const override { return features_; }

  [[nodiscard]] std::size_t classes() const override { return contents_.classes; }

  [[nodiscard]] std::uint32_t label(std::size_t sample) const override {
    return contents_.labels[sample];
  }

  void gather(std::span<const std::uint32_t> samples, std::span<float> out) const override;

  [[nodiscard]] std::span<const std::size_t> samples_by_peer() const override {
    return contents_.samples_by_peer;
  }

 private:
  Contents contents_;
  std::size_t features_;
};

}  // namespace starling::objective
