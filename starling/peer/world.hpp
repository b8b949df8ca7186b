// A world makes peers and runs a function on each of them.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "starling/core/peer_id.hpp"
#include "starling/core/time.hpp"
#include "starling/peer/meter.hpp"

namespace starling {

class Peer;
struct Goodbye;

/// The peers of a static world: 0 .. size-1.
std::vector<PeerId> peers_by_rank(std::size_t size);

/// How one peer of a run ended.
struct PeerOutcome {
  std::exception_ptr error;  ///< null: it finished
  Meter meter;
  Time ended{};
};

/// The peer whose failure came first and was not a consequence of another's; if all were (somebody
/// passed on a loss that never reached its own end), the first that failed.
std::optional<std::size_t> culprit_of(const std::vector<PeerOutcome>& peers);

/// What a world does when the body of `peer` has ended, with outcome.error set: completes
/// `outcome`, now, and tells observers of a failure. @return what the other peers are to be told
Goodbye close_outcome(Peer& peer, PeerOutcome& outcome);

/// How a run ended.
struct RunReport {
  std::vector<PeerOutcome> peers;  ///< by rank
  Duration elapsed{};  ///< of the run's own clock: wall time, or virtual time in simulation
  /// The peer whose failure came first and was not a consequence of another's.
  std::optional<std::size_t> culprit;
  std::vector<std::string> notes{};  ///< what the world did to the run, a line each

  [[nodiscard]] bool ok() const noexcept { return !culprit.has_value(); }

  /// Rethrows the culprit's error; returns if everybody finished.
  void or_throw() const {
    if (culprit) {
      std::rethrow_exception(peers[*culprit].error);
    }
  }
};

/// A set of peers that exist from the start of a run to its end.
class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;

  /// "threads", "sim".
  [[nodiscard]] virtual std::string_view name() const = 0;

  [[nodiscard]] virtual std::size_t size() const = 0;

  /// Runs `body` on every peer and returns when all have ended. An exception that leaves `body`
  /// ends that peer only; those who wait for it get a Failure with its words.
  virtual RunReport run(const std::function<void(Peer&)>& body) = 0;
};

}  // namespace starling
