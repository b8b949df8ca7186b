// Peers as actors of a simulation: virtual time, a modelled network, faults at known moments. The
// same seed and bodies that compute() the same give the same run, to the bit and to the nanosecond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "starling/core/event.hpp"
#include "starling/core/peer_id.hpp"
#include "starling/core/time.hpp"
#include "starling/peer/world.hpp"

namespace starling {

/// What is known of a run beforehand. Rates of faults are drawn over its length.
struct RunForecast {
  Duration computing{};           ///< of a peer on a host of speed 1
  double exchanges = 0.0;         ///< times that a peer waits for another, one after the other
  std::size_t message_bytes = 0;  ///< of one exchange
};

struct SimOptions {
  std::size_t peers = 1;
  std::uint64_t seed = 1;                           ///< of the peers, the platform and the faults
  Observer* observer = nullptr;                     ///< outlives the world; may be null
  Duration slow_warning = std::chrono::seconds(5);  ///< first warning about a wait; doubles after
  std::string platform = "lan";  ///< see platform.hpp and `starling list platforms`
  std::string faults = {};       ///< rates or a TOML file, see faults.hpp; empty: none
  RunForecast forecast{};        ///< all zero: unknown
  std::string host_speeds = {};  ///< see host_speeds.hpp; empty: all 1
  std::string stragglers = {};   ///< see host_speeds.hpp; empty: none
  /// From the moment a host goes off until the others know: two heartbeats of half a second.
  Duration detection = std::chrono::seconds(1);
  /// When nothing can happen any more, waits whose deadline is at least this far away fail at once.
  Duration stall_patience = std::chrono::seconds(1);
  Duration directory_delay = std::chrono::milliseconds(50);  ///< of one look into the directory
  double directory_loss = 0.0;  ///< share of the looks that are never answered
  Duration time_limit{};        ///< ends the peers that still run by then; 0: none
  /// Stack of one actor. Only touched pages cost memory; the trainer adds what a network
  /// states (128 KiB).
  std::size_t stack_bytes = std::size_t{256} * 1024;

  /// Every byte of a payload counts as so many on the network: long vectors in little memory. The
  /// bounds of queues count the bytes that are there.
  std::size_t byte_scale = 1;

  /// @throws ConfigError
  void validate() const;
};

/// A world of simulated peers. Each run starts afresh: empty channels, empty directory, time zero.
/// A run occupies the simulator of the process: one at a time. A body that blocks other than
/// through its Peer blocks them all.
class SimWorld final : public World {
 public:
  /// @throws ConfigError about the options, the platform (file) or the faults (file)
  explicit SimWorld(const SimOptions& options);
  SimWorld(const SimWorld&) = delete;
  SimWorld& operator=(const SimWorld&) = delete;
  ~SimWorld() override;

  [[nodiscard]] std::string_view name() const override { return "sim"; }

  [[nodiscard]] std::size_t size() const override { return options_.peers; }

  RunReport run(const std::function<void(Peer&)>& body) override;

  /// How often the host of `peer` has come back in this run: its body starts anew every time, and
  /// may ask here. A peer that would come back after all others have ended does not.
  [[nodiscard]] std::uint32_t incarnation(PeerId peer) const;

 private:
  struct Plan;

  SimOptions options_;
  std::unique_ptr<Plan> plan_;
  std::vector<std::uint32_t> incarnations_;
};

}  // namespace starling
