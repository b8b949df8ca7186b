#include "starling/mixing/weighted_mean.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "starling/core/buffer.hpp"
#include "starling/core/ensure.hpp"
#include "starling/core/span_math.hpp"

namespace starling::mixing {

namespace {

using collective::Reduction;

/// A weight that no member has: the sum that holds it is not finite, which all members see.
constexpr float kTooLarge = std::numeric_limits<float>::infinity();

class WeightedMean {
 public:
  WeightedMean(collective::Collective& group,
               std::span<float> values_and_room,
               std::span<float> means_and_room,
               const collective::CollectiveOptions& options)
      : group_(group), own_(values_and_room), means_(means_and_room), options_(options) {}

  bool relative_to_nominal(Weight weight) {
    const double relative = weight.value / weight.nominal;
    const float total = sum(relative <= 1.0 ? static_cast<float>(relative) : kTooLarge);
    if (std::isfinite(total) && total >= 1.0F) {
      divide_by(total);
      return true;
    }
    return relative_to_largest(weight.value);
  }

 private:
  collective::Collective& group_;
  std::span<float> own_;
  std::span<float> means_;
  const collective::CollectiveOptions& options_;

  /// The largest weight is found as 2^exponent times a mantissa, for weights beyond a float's
  /// range.
  bool relative_to_largest(double weight) {
    int exponent = 0;
    const double mantissa = std::frexp(weight, &exponent);
    const float none = -std::numeric_limits<float>::infinity();
    const float largest = maximum(weight > 0.0 ? static_cast<float>(exponent) : none);
    if (largest == none) {
      return false;
    }
    const double shifted = std::ldexp(mantissa, exponent - static_cast<int>(largest));
    const float scale = maximum(static_cast<float>(shifted));
    divide_by(sum(static_cast<float>(shifted) / scale));
    return true;
  }

  float maximum(float value) {
    group_.all_reduce(std::span(&value, 1), Reduction::max, options_);
    return value;
  }

  /// means and room <- the sums of relative * values and of relative. @return the latter
  float sum(float relative) {
    const std::size_t size = own_.size() - 1;
    Buffer scaled;  // only where there is something to multiply
    std::span<float> contribution = own_;
    if (relative != 1.0F) {
      scaled = Buffer(own_.size_bytes());
      contribution = scaled.mutable_values();
      if (relative == 0.0F || !std::isfinite(relative)) {
        std::fill(contribution.begin(), contribution.end(), 0.0F);
      } else {
        scaled_copy(relative, own_.first(size), contribution.first(size));
      }
    }
    contribution.back() = relative;
    group_.all_reduce(contribution, means_, Reduction::sum, options_);
    return means_.back();
  }

  void divide_by(float total) { scale(1.0F / total, means_.first(means_.size() - 1)); }
};

}  // namespace

bool weighted_mean(collective::Collective& group,
                   std::span<float> values_and_room,
                   std::span<float> means_and_room,
                   Weight weight,
                   const collective::CollectiveOptions& options) {
  ensure(!values_and_room.empty(), "a weighted mean needs room for the weight");
  ensure(
      std::isfinite(weight.value) && weight.value >= 0.0, "a weight is not negative", weight.value);
  ensure(std::isfinite(weight.nominal) && weight.nominal > 0.0,
         "the nominal weight is positive",
         weight.nominal);
  return WeightedMean(group, values_and_room, means_and_room, options).relative_to_nominal(weight);
}

}  // namespace starling::mixing
