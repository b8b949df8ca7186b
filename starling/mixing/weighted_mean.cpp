#include "starling/mixing/weighted_mean.hpp"

#include <algorithm>
#include <cmath>

#include "starling/core/buffer.hpp"
#include "starling/core/ensure.hpp"
#include "starling/core/span_math.hpp"

namespace starling::mixing {

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
  const auto relative = static_cast<float>(weight.value / weight.nominal);
  const std::span<const float> values = values_and_room.first(values_and_room.size() - 1);

  Buffer scaled;  // only where the weight is not the nominal one
  std::span<float> contribution = values_and_room;
  if (relative != 1.0F) {
    scaled = Buffer(values_and_room.size_bytes());
    contribution = scaled.mutable_values();
    if (relative == 0.0F) {
      std::fill(contribution.begin(), contribution.end(), 0.0F);
    } else {
      scaled_copy(relative, values, contribution.first(values.size()));
    }
  }
  contribution.back() = relative;

  group.all_reduce(contribution, means_and_room, collective::Reduction::sum, options);
  const float total = means_and_room.back();
  if (total == 0.0F) {
    return false;
  }
  scale(1.0F / total, means_and_room.first(values.size()));
  return true;
}

}  // namespace starling::mixing
