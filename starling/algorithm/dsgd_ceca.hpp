// Decentralized SGD over exact consensus in the fewest possible rounds.
#pragma once

#include <cstddef>
#include <optional>

#include "starling/algorithm/algorithm.hpp"
#include "starling/core/buffer.hpp"
#include "starling/topology/ceca.hpp"

namespace starling::algorithm {

/// DSGD-CECA (arXiv:2306.00256). Every peer keeps x_i and a second model y_i, the mean of the peers
/// it has heard of in this cycle without its own. A step: g = dir(gradient of f_i at u), u being
/// x_i or y_i, whichever the round sends; x_i <- x_i - lr g; y_i <- y_i - lr g; one round of CECA
/// on (x, y). Keeps mean(x) up to the gradients; without gradients every tau = ceil(log2 n) rounds
/// end at the exact mean, for any n (two ports) or even n (one port). Sends d floats in one message
/// a step. Holds two models and one direction.
class DsgdCeca final : public Algorithm {
 public:
  explicit DsgdCeca(topology::CecaPorts ports);

  /// @throws ConfigError if one port does not fit the size of the group
  void start(Replica& replica) override;
  void step(Replica& replica) override;

  /// The round r of the cycle that comes next.
  [[nodiscard]] std::vector<StateScalar> scalars() const override;
  void restore_scalars(std::span<const StateScalar> scalars) override;

  /// y_i.
  [[nodiscard]] std::vector<StateVector> vectors() override;

 private:
  topology::CecaPorts ports_;
  std::optional<topology::CecaSchedule> schedule_;
  std::size_t round_ = 0;  // r; counts the rounds that were done, not the steps
  Buffer others_;          // y_i
};

}  // namespace starling::algorithm
