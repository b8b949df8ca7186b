#include "starling/mixing/weighted_mean.hpp"

#include <algorithm>
#include <cmath>

#include "starling/core/buffer.hpp"
#include "starling/core/ensure.hpp"
#include "starling/core/span_math.hpp"

namespace starling::mixing {

bool weighted_mean(const Group& group,
                   std::span<float> values_and_room,
                   double weight,
                   double nominal,
                   const collective::CollectiveOptions& options) {
  ensure(!values_and_room.empty(), "a weighted mean needs room for the weight");
  ensure(std::isfinite(weight) && weight >= 0.0, "a weight is not negative", weight);
  ensure(std::isfinite(nominal) && nominal > 0.0, "the nominal weight is positive", nominal);
  const std::span<float> values = values_and_room.first(values_and_room.size() - 1);
  const auto relative = static_cast<float>(weight / nominal);

  Buffer contribution(values_and_room.size_bytes());
  const std::span<float> sums = contribution.mutable_values();
  if (relative == 0.0F) {
    std::fill(sums.begin(), sums.end(), 0.0F);
  } else {
    scaled_copy(relative, values, sums.first(values.size()));
  }
  sums.back() = relative;

  collective::all_reduce(group, sums, collective::Reduction::sum, options);
  const float total = sums.back();
  if (total == 0.0F) {
    return false;
  }
  scaled_copy(1.0F / total, sums.first(values.size()), values);
  return true;
}

}  // namespace starling::mixing
