#include "starling/mixing/doubly_stochastic.hpp"

#include "starling/core/ensure.hpp"
#include "starling/core/random.hpp"
#include "starling/core/span_math.hpp"

namespace starling::mixing {

namespace {

std::uint32_t operation() {
  static const auto digest = static_cast<std::uint32_t>(stream_key("mixing/doubly-stochastic"));
  return digest;
}

}  // namespace

Exchange::Exchange(std::span<const float> model,
                   const topology::MixingRow& row,
                   const Group& group,
                   const MixingOptions& options)
    : row_(row), neighbours_(group, options, operation(), model.size()), elements_(model.size()) {
  if (row.is_idle()) {
    return;
  }
  own_is_finite_ = is_finite(model);
  if (!own_is_finite_) {
    neighbours_.reject_own(first_not_finite(model));
  }
  const Buffer payload = own_is_finite_ ? Buffer::copy_of(model) : Buffer();
  for (const topology::Link& link : row.sends) {
    neighbours_.offer(link.rank, payload.share(), own_is_finite_ ? 1.0 : 0.0);
  }
}

MixingReport Exchange::finish(std::span<float> model) {
  ensure(model.size() == elements_,
         "the model changed its size during an exchange",
         model.size(),
         elements_);
  if (row_.is_idle()) {
    return neighbours_.report();
  }
  double kept = row_.self_weight;
  double taken = 0.0;
  Buffer sum(elements_ * sizeof(float));  // sum_j w_ij x_j over the models that came
  for (const topology::Link& link : row_.receives) {
    const auto message = neighbours_.collect(link.rank);
    if (!message) {
      kept += link.weight;
      continue;
    }
    const auto weight = static_cast<float>(link.weight);
    if (taken == 0.0) {
      scaled_copy(weight, message->payload.values(), sum.mutable_values());
    } else {
      add_scaled(weight, message->payload.values(), sum.mutable_values());
    }
    taken += link.weight;
  }
  if (!own_is_finite_) {  // the others' mean replaces a model nobody can use
    if (taken == 0.0) {
      neighbours_.refuse_for_want_of_models();
    }
    scaled_copy(static_cast<float>(1.0 / taken), sum.values(), model);
  } else if (taken > 0.0) {
    blend(static_cast<float>(kept), model, 1.0F, sum.values());
  }
  return neighbours_.report();
}

void Exchange::discard() {
  for (const topology::Link& link : row_.receives) {
    neighbours_.drop(link.rank);
  }
}

MixingReport mix_with_neighbours(std::span<float> model,
                                 const topology::MixingRow& row,
                                 const Group& group,
                                 const MixingOptions& options) {
  return Exchange(model, row, group, options).finish(model);
}

}  // namespace starling::mixing
