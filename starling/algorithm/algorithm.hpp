// A way of learning together. One file a paper; step() reads like the paper's pseudo-code.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "starling/algorithm/replica.hpp"
#include "starling/optimizer/optimizer.hpp"

namespace starling::algorithm {

/// What an algorithm keeps, for tests, tables and the choice of a world.
struct Traits {
  bool preserves_mean =
      false;                  ///< communication leaves the mean of the (de-biased) models unchanged
  bool exact = false;         ///< all models are bitwise equal after every step
  bool asynchronous = false;  ///< its bits depend on who is faster
  bool needs_symmetric_topology = false;
};

/// A number that belongs to the state of an algorithm, for checkpoints.
struct StateScalar {
  std::string name;
  double value = 0.0;
};

/// A vector that belongs to the state of an algorithm; writing through the span changes it.
using optimizer::StateVector;

class Algorithm {
 public:
  Algorithm() = default;
  Algorithm(const Algorithm&) = delete;
  Algorithm& operator=(const Algorithm&) = delete;
  virtual ~Algorithm() = default;

  /// Before the first step, or the first after a resume. Parameters are equal at all peers then.
  virtual void start(Replica& replica);

  /// One local iteration with whatever communication belongs to it.
  virtual void step(Replica& replica) = 0;

  /// After the last step: nothing of this peer is under way any more.
  virtual void finish(Replica& replica);

  /// The model to evaluate, export and compare; differs from the parameters where those are biased.
  /// Valid until the next call on the algorithm.
  [[nodiscard]] virtual std::span<const float> evaluation_view(Replica& replica);

  /// State beyond parameters and optimizer, by name. A resume calls start(), writes the vectors and
  /// restores the scalars; one with another number of peers begins from start() alone.
  [[nodiscard]] virtual std::vector<StateScalar> scalars() const;
  virtual void restore_scalars(std::span<const StateScalar> scalars);
  [[nodiscard]] virtual std::vector<StateVector> vectors();
};

}  // namespace starling::algorithm
