#include "starling/algorithm/replica.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/core/span_math.hpp"
#include "starling/mixing/weighted_mean.hpp"

namespace starling::algorithm {

Replica::Replica(Group& group, ReplicaParts parts, ReplicaOptions options)
    : group_(group),
      parts_(std::move(parts)),
      options_(std::move(options)),
      parameters_(parts_.objective->layout().elements() * sizeof(float)),
      gradient_((parts_.objective->layout().elements() + 1) * sizeof(float)),
      collective_(group_) {
  ensure(options_.nominal_batch >= 1, "a batch holds at least one sample");
  Random initial(peer().seed(), stream_key("initial model"));  // of the run, not of the peer
  parts_.objective->initialise(parameters(), initial);
}

Gradient Replica::take_gradient(std::span<const float> point) {
  const objective::Batch batch = next_batch();
  const bool has_batch = !parts_.batches || !batch.samples.empty();
  gradient_samples_ = parts_.batches ? batch.samples.size() : (has_batch ? 1 : 0);
  loss_ = std::numeric_limits<double>::quiet_NaN();
  if (has_batch) {
    const double share =
        static_cast<double>(gradient_samples_) / static_cast<double>(options_.nominal_batch);
    const auto cost = from_seconds(seconds(options_.step_cost) * share);
    Random& random = peer().random("gradient");
    peer().compute(cost,
                   [&] { loss_ = parts_.objective->gradient(point, batch, random, gradient()); });
    samples_seen_ += gradient_samples_;
    inject_faults();
  }
  return judge_gradient(has_batch);
}

objective::Batch Replica::next_batch() {
  if (!parts_.batches) {
    return {};
  }
  return {parts_.data.get(), parts_.batches->next()};
}

void Replica::inject_faults() {
  for (const Fault& fault : options_.faults) {
    if (fault.step == steps_done_ && size() > 0) {
      gradient().front() = fault.value;
    }
  }
}

Gradient Replica::judge_gradient(bool has_batch) {
  const bool finite = !has_batch || (std::isfinite(loss_) && is_finite(gradient()));
  switch (options_.not_finite) {
    case NotFinite::stop:
      if (!finite) {
        reject_gradient("stop");
      }
      break;
    case NotFinite::skip_peer:
      if (!finite) {
        reject_gradient("skip-peer");
        return Gradient::rejected;
      }
      break;
    case NotFinite::skip_round:
      if (!finite) {
        reject_gradient("skip-round");
      }
      if (anyone_not_finite(!finite)) {
        return Gradient::round_skipped;
      }
      break;
  }
  return has_batch ? Gradient::taken : Gradient::none;
}

void Replica::reject_gradient(const char* policy) {
  const std::size_t bad = first_not_finite(gradient());
  const std::string tensor =
      bad < size() ? parts_.objective->layout().tensor_of(bad) : std::string("the loss");
  gradient_samples_ = 0;
  peer().emit(ContributionRejected{peer().id(), steps_done_, tensor, policy});
  if (options_.not_finite == NotFinite::stop) {
    throw NotFiniteError("step " + std::to_string(steps_done_) + ": the gradient of " + tensor +
                         " is not finite; " + advice(options_.not_finite));
  }
}

bool Replica::anyone_not_finite(bool mine) {
  float flag = mine ? 1.0F : 0.0F;
  collective_.all_reduce(std::span(&flag, 1), collective::Reduction::max, collective_options());
  return flag != 0.0F;
}

bool Replica::average_gradient() {
  if (averaged_.empty()) {
    averaged_ = Buffer(gradient_.size());
  }
  const mixing::Weight weight{static_cast<double>(gradient_samples_),
                              static_cast<double>(options_.nominal_batch)};
  if (!mixing::weighted_mean(collective_,
                             gradient_.mutable_values(),
                             averaged_.mutable_values(),
                             weight,
                             collective_options())) {
    return false;
  }
  std::swap(gradient_, averaged_);
  return true;
}

void Replica::turn_gradient_into_direction(std::span<const float> point) {
  parts_.optimizer->direction(point, gradient());
}

void Replica::descend(std::span<float> target, float damping) {
  add_scaled(-parts_.learning_rate.at(steps_done_) * damping, gradient(), target);
}

bool Replica::local_step(std::span<float> target, std::span<const float> point, float damping) {
  const Gradient outcome = take_gradient(point);
  if (outcome == Gradient::taken) {
    turn_gradient_into_direction(point);
    descend(target, damping);
  }
  return outcome != Gradient::round_skipped;
}

void Replica::average_exactly(std::span<float> values) {
  const std::string place = "step " + std::to_string(steps_done_) + ": ";
  const bool finite = is_finite(values);
  const std::string tensor =
      finite ? std::string() : parts_.objective->layout().tensor_of(first_not_finite(values));
  if (options_.not_finite != NotFinite::skip_peer) {
    if (!finite) {
      throw NotFiniteError(place + "the model is not finite in " + tensor + "; " +
                           advice(options_.not_finite));
    }
    collective_.all_reduce(values, collective::Reduction::mean, collective_options());
    return;
  }
  if (!finite) {
    peer().emit(ContributionRejected{peer().id(), steps_done_, tensor, "skip-peer"});
  }
  Buffer with_room((values.size() + 1) * sizeof(float));
  Buffer means(with_room.size());
  copy(values, with_room.mutable_values().first(values.size()));
  if (!mixing::weighted_mean(collective_,
                             with_room.mutable_values(),
                             means.mutable_values(),
                             {.value = finite ? 1.0 : 0.0},
                             collective_options())) {
    throw NotFiniteError(place + "no peer has a finite model, this one not in " + tensor + "; " +
                         advice(options_.not_finite));
  }
  copy(means.values().first(values.size()), values);
}

mixing::MixingOptions Replica::mixing_options(std::uint64_t round) {
  return {.round = round,
          .deadline = deadline(),
          .on_loss = options_.on_loss,
          .not_finite = options_.not_finite,
          .early = &early_,
          .layout = &parts_.objective->layout()};
}

collective::CollectiveOptions Replica::collective_options() {
  return {.algorithm = options_.collective, .deadline = deadline(), .round = steps_done_};
}

void Replica::finish_step() {
  const float rate = parts_.learning_rate.at(steps_done_);
  ++steps_done_;
  peer().emit(StepDone{steps_done_, loss_, static_cast<std::uint32_t>(gradient_samples_), rate});
}

void Replica::set_progress(std::uint64_t steps_done, std::uint64_t samples_seen) {
  steps_done_ = steps_done;
  samples_seen_ = samples_seen;
}

}  // namespace starling::algorithm
