// The faults of the network: which links are down, and how late messages are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "starling/core/random.hpp"
#include "starling/simulation/faults.hpp"
#include "starling/simulation/scheduler.hpp"

namespace starling::simulation {

class Links {
 public:
  /// Goes by the faults of links and delays among `faults`, and calls `changed` whenever a link
  /// goes down or comes back.
  Links(Scheduler& scheduler,
        std::size_t peers,
        const FaultPlan& faults,
        std::uint64_t seed,
        std::function<void()> changed);

  /// Whether nothing passes between the two.
  [[nodiscard]] bool cut(PeerId from, PeerId to) const;

  /// By how much a message that starts now is late. Chance is drawn for every one, in order.
  [[nodiscard]] Duration draw_delay(PeerId from, PeerId to);

 private:
  void change(const Fault& fault, bool down);

  Scheduler& scheduler_;
  std::uint64_t seed_;
  std::function<void()> changed_;
  std::vector<Fault> delays_;
  std::vector<std::optional<Random>> chance_;  // of the delays of what a peer sends
  std::vector<std::size_t> peers_down_;        // how often, by rank
  std::map<std::pair<PeerId, PeerId>, std::size_t> pairs_down_;
};

}  // namespace starling::simulation
