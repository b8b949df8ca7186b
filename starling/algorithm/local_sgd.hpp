// Local SGD: steps alone, an average now and then.
#pragma once

#include <cstdint>
#include <memory>

#include "starling/algorithm/algorithm.hpp"
#include "starling/topology/topology.hpp"

namespace starling::algorithm {

/// H - 1 steps with W = I, then one with W = 11^T/n (topology full: an exact all-reduce) or with
/// the next matrix of another topology (local decentralized SGD); arXiv:2003.10422, section 3.
/// Keeps mean(x) up to the gradients. Sends nothing in local steps.
class LocalSgd final : public Algorithm {
 public:
  /// @param topology null: exact averages. @pre period >= 1
  LocalSgd(std::shared_ptr<const topology::Topology> topology, std::uint64_t period);

  void step(Replica& replica) override;

 private:
  std::shared_ptr<const topology::Topology> topology_;  // shared by the peers of one process
  std::uint64_t period_;
};

}  // namespace starling::algorithm
