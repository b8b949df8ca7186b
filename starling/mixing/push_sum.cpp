#include "starling/mixing/push_sum.hpp"

#include <algorithm>
#include <cmath>

#include "starling/core/ensure.hpp"
#include "starling/core/random.hpp"
#include "starling/core/span_math.hpp"

namespace starling::mixing {

namespace {

std::uint32_t operation() {
  static const auto digest = static_cast<std::uint32_t>(stream_key("mixing/push-sum"));
  return digest;
}

/// A peer that nobody sends to any more would halve x and w until z = x/w is lost in denormal
/// numbers. A lighter share moves nobody's model, so it stays at home.
constexpr double kLightestShare = 0x1p-60;

/// Nothing to offer this round. @return the share kept: none of what is not finite
double decline(const topology::MixingRow& row, Neighbours& neighbours) {
  for (const topology::Link& link : row.sends) {
    neighbours.offer(link.rank, {}, 0.0);
  }
  return 0.0;
}

}  // namespace

void PushSum::set_weight(double weight) {
  ensure(std::isfinite(weight) && weight > 0.0, "a push-sum weight is positive", weight);
  weight_ = weight;
}

MixingReport PushSum::round(std::span<float> numerator,
                            const topology::MixingRow& row,
                            const Group& group,
                            const MixingOptions& options) {
  Neighbours neighbours(group, options, operation(), numerator.size());
  if (row.is_idle()) {
    return neighbours.report();
  }
  const bool finite = is_finite(numerator);
  if (!finite) {
    neighbours.reject_own(first_not_finite(numerator));
  }

  const double kept = finite ? push(numerator, row, neighbours) : decline(row, neighbours);
  if (finite) {
    scale(static_cast<float>(kept), numerator);
  } else {
    std::fill(
        numerator.begin(), numerator.end(), 0.0F);  // its mass is lost; what comes in is sound
  }
  weight_ *= kept;

  for (const topology::Link& link : row.receives) {
    const auto message = neighbours.collect(link.rank);
    if (!message) {
      continue;  // its share never left it, or went down with it
    }
    add(message->payload.values(), numerator);
    weight_ += message->stamp.weight;
  }
  if (weight_ == 0.0) {
    neighbours.refuse_for_want_of_models();
  }
  return neighbours.report();
}

double PushSum::push(std::span<const float> numerator,
                     const topology::MixingRow& row,
                     Neighbours& neighbours) const {
  double kept = row.self_weight;
  Buffer payload;
  double share_of_payload = 0.0;
  for (const topology::Link& link : row.sends) {
    if (link.weight * weight_ < kLightestShare) {
      neighbours.offer(link.rank, {}, 0.0);
      kept += link.weight;
      continue;
    }
    if (link.weight != share_of_payload) {
      payload = Buffer(numerator.size_bytes());
      scaled_copy(static_cast<float>(link.weight), numerator, payload.mutable_values());
      share_of_payload = link.weight;
    }
    if (!neighbours.offer(link.rank, payload.share(), link.weight * weight_)) {
      kept += link.weight;
    }
  }
  return kept;
}

void PushSum::debias(std::span<const float> numerator, std::span<float> model) const {
  if (weight_ == 1.0) {
    copy(numerator, model);
  } else {
    scaled_copy(static_cast<float>(1.0 / weight_), numerator, model);
  }
}

}  // namespace starling::mixing
