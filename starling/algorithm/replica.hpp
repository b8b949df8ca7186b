// What an algorithm works on: one peer with its model, its data and its local optimizer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "starling/collective/collective.hpp"
#include "starling/core/policy.hpp"
#include "starling/mixing/options.hpp"
#include "starling/objective/batches.hpp"
#include "starling/objective/objective.hpp"
#include "starling/optimizer/learning_rate.hpp"
#include "starling/optimizer/optimizer.hpp"
#include "starling/peer/group.hpp"

namespace starling::algorithm {

/// What became of this step's gradient.
enum class Gradient : std::uint8_t {
  taken,          ///< in gradient(), finite
  none,           ///< this peer has no batch in this step
  rejected,       ///< it was not finite and is left out; the others go on
  round_skipped,  ///< somebody's was not finite and all agreed to change nothing in this step
};

/// A number to put into a gradient on purpose, to see what the policies do.
struct Fault {
  std::uint64_t step = 0;
  float value = 0.0F;
};

struct ReplicaOptions {
  NotFinite not_finite = NotFinite::stop;
  OnLoss on_loss = OnLoss::stop;
  Duration timeout = std::chrono::seconds(60);  ///< deadline of every wait for another peer
  Duration step_cost{};                         ///< of a full batch on a machine of speed 1
  std::size_t nominal_batch = 1;                ///< samples in a full batch
  std::string collective = "auto";
  std::vector<Fault> faults;
};

/// The parts a replica is made of. The batches are empty for objectives without data.
struct ReplicaParts {
  std::unique_ptr<objective::Objective> objective;
  std::shared_ptr<const objective::Dataset> data;
  std::optional<objective::Batches> batches;
  std::unique_ptr<optimizer::Optimizer> optimizer;
  optimizer::LearningRate learning_rate;
};

/// Peer + objective + optimizer + parameters x + step counter + data cursor.
class Replica {
 public:
  /// Parameters are initialised from the run's seed: the same at every peer.
  Replica(Group& group, ReplicaParts parts, ReplicaOptions options);

  [[nodiscard]] Group& group() noexcept { return group_; }

  [[nodiscard]] Peer& peer() noexcept { return group_.peer(); }

  /// x, one float per parameter.
  [[nodiscard]] std::span<float> parameters() { return parameters_.mutable_values(); }

  [[nodiscard]] std::size_t size() const noexcept { return parameters_.size() / sizeof(float); }

  /// Local steps finished so far: the paper's t (or k) during a step.
  [[nodiscard]] std::uint64_t steps_done() const noexcept { return steps_done_; }

  /// Takes the gradient at `point` on the next batch into gradient(), under the run's policy for
  /// numbers that are not finite. @pre point.size() == size(). @throws NotFiniteError if the policy
  /// is stop
  [[nodiscard]] Gradient take_gradient(std::span<const float> point);

  /// The gradient, later its mean over the group, later the direction. Another piece of memory
  /// after average_gradient().
  [[nodiscard]] std::span<float> gradient() { return gradient_.mutable_values().first(size()); }

  /// Samples behind the gradient; 0 if it was not taken.
  [[nodiscard]] std::size_t gradient_samples() const noexcept { return gradient_samples_; }

  /// gradient <- sum_j b_j g_j / sum_j b_j over the group, b the samples behind each: exact, the
  /// same bits everywhere. @return false, with nothing of use in gradient(), if nobody has a sample
  /// @throws PeerLost
  [[nodiscard]] bool average_gradient();

  /// gradient <- the optimizer's direction; `point` is where weight decay is taken.
  void turn_gradient_into_direction(std::span<const float> point);

  /// target <- target - damping * lr * direction.
  void descend(std::span<float> target, float damping = 1.0F);

  /// target <- target - damping * lr * dir(gradient at point): the local step of most papers, with
  /// damping 1.
  /// @return false if all peers agreed to skip this step
  [[nodiscard]] bool local_step(std::span<float> target,
                                std::span<const float> point,
                                float damping = 1.0F);

  /// values <- mean over the group, exact, all peers bitwise equal. A model that is not finite is
  /// left out if the policy is skip_peer. @throws PeerLost, NotFiniteError
  void average_exactly(std::span<float> values);

  [[nodiscard]] mixing::MixingOptions mixing_options(std::uint64_t round);
  [[nodiscard]] collective::CollectiveOptions collective_options();

  [[nodiscard]] Deadline deadline() { return peer().clock().in(options_.timeout); }

  [[nodiscard]] const ReplicaOptions& options() const noexcept { return options_; }

  // Not const: who may change the parts of a replica holds the replica itself.
  // NOLINTNEXTLINE(readability-make-member-function-const)
  [[nodiscard]] objective::Objective& objective() noexcept { return *parts_.objective; }

  // NOLINTNEXTLINE(readability-make-member-function-const)
  [[nodiscard]] optimizer::Optimizer& optimizer() noexcept { return *parts_.optimizer; }

  [[nodiscard]] std::optional<objective::Batches>& batches() noexcept { return parts_.batches; }

  [[nodiscard]] std::uint64_t samples_seen() const noexcept { return samples_seen_; }

  /// Counts the step as done and tells the observers. Called by the trainer after every step().
  void finish_step();

  /// For a resumed run.
  void set_progress(std::uint64_t steps_done, std::uint64_t samples_seen);

 private:
  Group& group_;
  ReplicaParts parts_;
  ReplicaOptions options_;
  Buffer parameters_;
  Buffer gradient_;  // and one float of room for its weight
  Buffer averaged_;  // changes places with gradient_; made with the first average
  collective::Collective collective_;
  std::size_t gradient_samples_ = 0;
  std::uint64_t steps_done_ = 0;
  std::uint64_t samples_seen_ = 0;
  double loss_ = 0.0;
  mixing::EarlyMessages early_;

  [[nodiscard]] objective::Batch next_batch();
  void inject_faults();
  [[nodiscard]] Gradient judge_gradient(bool has_batch);
  [[nodiscard]] bool anyone_not_finite(bool mine);
  void reject_gradient(const char* policy);
};

}  // namespace starling::algorithm
