// Synchronous data-parallel SGD: the baseline of all others.
#pragma once

#include "starling/algorithm/algorithm.hpp"

namespace starling::algorithm {

/// g = sum_i b_i g_i / sum_i b_i over the peers' mini-batches of b_i samples, then one optimizer
/// step with the same g at every peer; x stays bitwise equal everywhere. Bytes of one all-reduce of
/// d + 1 floats a step (the last one carries b_i).
class AllreduceSgd final : public Algorithm {
 public:
  void step(Replica& replica) override;
};

}  // namespace starling::algorithm
