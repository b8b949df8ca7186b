#include "starling/mixing/ceca.hpp"

#include "starling/core/ensure.hpp"
#include "starling/core/random.hpp"
#include "starling/core/span_math.hpp"

namespace starling::mixing {

namespace {

std::uint32_t operation() {
  static const auto digest = static_cast<std::uint32_t>(stream_key("mixing/ceca"));
  return digest;
}

/// y <- (1 - share) y + share c. Halves are exact either way and blended as dsgd does it.
void blend_in(double share, std::span<const float> c, std::span<float> y) {
  if (share == 1.0) {
    copy(c, y);
  } else if (share == 0.5) {
    blend(0.5F, y, 0.5F, c);
  } else {
    approach(static_cast<float>(share), c, y);
  }
}

/// The first element of x, or else of y, that is not finite; the size if all are. y counts for
/// nothing in the first round of a cycle.
std::size_t first_bad(const CecaModels& models, const topology::CecaExchange& exchange) {
  if (!is_finite(models.own)) {
    return first_not_finite(models.own);
  }
  if (exchange.covered > 0 && !is_finite(models.others)) {
    return first_not_finite(models.others);
  }
  return models.own.size();
}

}  // namespace

MixingReport ceca_round(const CecaModels& models,
                        const topology::CecaExchange& exchange,
                        const Group& group,
                        const MixingOptions& options) {
  ensure(models.own.size() == models.others.size(),
         "x and y have one size",
         models.own.size(),
         models.others.size());
  ensure(options.on_loss == OnLoss::stop, "a cycle of ceca needs all its peers");
  Neighbours neighbours(group, options, operation(), models.own.size());
  const std::size_t bad = first_bad(models, exchange);
  const bool is_sound = bad == models.own.size();
  if (!is_sound) {
    neighbours.reject_own(bad);
  }
  const std::span<const float> offered = exchange.sends_model ? models.own : models.others;
  neighbours.offer(
      exchange.to, is_sound ? Buffer::copy_of(offered) : Buffer(), is_sound ? 1.0 : 0.0);
  const auto message = neighbours.collect(exchange.from);
  if (message) {
    const std::span<const float> c = message->payload.values();
    blend_in(is_sound ? exchange.model_share : 1.0, c, models.own);
    blend_in(is_sound ? exchange.other_share : 1.0, c, models.others);
  } else if (!is_sound) {
    neighbours.refuse_for_want_of_models();
  } else if (exchange.covered == 0) {
    copy(models.own, models.others);
  }
  return neighbours.report();
}

}  // namespace starling::mixing
