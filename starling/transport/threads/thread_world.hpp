// Peers as threads of one process: messages are handed over, lent ones read straight from their
// sender.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "starling/core/event.hpp"
#include "starling/core/time.hpp"
#include "starling/peer/world.hpp"

namespace starling {

struct ThreadWorldOptions {
  static constexpr std::size_t kPeersMax = 4096;

  std::size_t peers = 1;
  std::uint64_t seed = 1;
  Observer* observer = nullptr;                     ///< outlives the world; may be null
  Duration slow_warning = std::chrono::seconds(5);  ///< first warning about a wait; doubles after
  /// How long a wait looks out before it sleeps. Counts only while there is a core for every
  /// thread.
  Duration spin = std::chrono::microseconds(20);

  /// @throws ConfigError
  void validate() const;
};

/// A world of `peers` threads. Each run starts afresh: empty channels, empty directory, time zero.
/// A peer's activities end before its body returns.
class ThreadWorld final : public World {
 public:
  explicit ThreadWorld(const ThreadWorldOptions& options);

  [[nodiscard]] std::string_view name() const override { return "threads"; }

  [[nodiscard]] std::size_t size() const override { return options_.peers; }

  RunReport run(const std::function<void(Peer&)>& body) override;

 private:
  ThreadWorldOptions options_;
};

}  // namespace starling
