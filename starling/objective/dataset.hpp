// Labelled samples, read in batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace starling::objective {

/// Immutable labelled samples; safe to share between threads.
class Dataset {
 public:
  Dataset() = default;
  Dataset(const Dataset&) = delete;
  Dataset& operator=(const Dataset&) = delete;
  virtual ~Dataset() = default;

  [[nodiscard]] virtual const std::string& name() const = 0;

  /// Number of samples.
  [[nodiscard]] virtual std::size_t size() const = 0;

  /// Shape of one sample's features, e.g. {1, 28, 28}.
  [[nodiscard]] virtual std::span<const std::size_t> sample_shape() const = 0;

  /// Product of sample_shape().
  [[nodiscard]] virtual std::size_t features() const = 0;

  /// Labels are 0 .. classes()-1.
  [[nodiscard]] virtual std::size_t classes() const = 0;

  [[nodiscard]] virtual std::uint32_t label(std::size_t sample) const = 0;

  /// Features of the given samples, normalised, one sample after the other.
  /// @pre out.size() == samples.size() * features(); every index < size()
  virtual void gather(std::span<const std::uint32_t> samples, std::span<float> out) const = 0;

  /// Data drawn for each peer on its own: how many samples, peer 0's first. Empty for all other
  /// data.
  [[nodiscard]] virtual std::span<const std::size_t> samples_by_peer() const { return {}; }
};

}  // namespace starling::objective
