// What the library tells the world: typed events, never prints. Logs, metrics, traces and tests are
// observers of the same events.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "starling/core/exit_code.hpp"
#include "starling/core/peer_id.hpp"
#include "starling/core/time.hpp"

namespace starling {

enum class Severity : std::uint8_t { debug, info, warning, error };

/// Something worth a line that has no type of its own.
struct Note {
  Severity severity = Severity::info;
  std::string text;
};

/// A neighbour did not answer; its weight stayed home this round.
struct PartnerLost {
  PeerId partner;
  std::uint64_t round = 0;
  std::string reason;
};

/// A contribution with a number that is not finite was kept out of an average.
struct ContributionRejected {
  PeerId contributor;
  std::uint64_t step = 0;
  std::string tensor;  ///< the tensor with the first such number; empty if the layout is unknown
  std::string policy;  ///< what was done: "skip-peer", "skip-round", "stop"
};

/// A wait has lasted longer than the warning time; `culprit` is the peer the chain of waits ends
/// at.
struct SlowPeer {
  PeerId culprit;
  Duration waited{};
};

/// A peer of the run ended early.
struct PeerGone {
  PeerId peer;
  std::string reason;
  ExitCode code = ExitCode::peers_lost;  ///< of what it ended with
};

/// Nothing can run while something is awaited: who waits for whom, one line a peer.
struct Stalled {
  std::string waits;
};

/// One local step of one peer is over.
struct StepDone {
  std::uint64_t step = 0;     ///< steps done so far
  double loss = 0.0;          ///< mini-batch loss; NaN if the peer had no batch
  std::uint32_t samples = 0;  ///< samples in the mini-batch
  float learning_rate = 0.0F;
};

/// The model of one peer after `step` steps; the span is valid during the call only.
struct ModelSnapshot {
  std::uint64_t step = 0;
  std::span<const float> model;
};

/// A checkpoint is complete on disk.
struct CheckpointSaved {
  std::uint64_t step = 0;
  std::string path;
};

/// An event with its origin.
struct Event {
  PeerId from;
  Time time{};
  std::variant<Note,
               PartnerLost,
               ContributionRejected,
               SlowPeer,
               PeerGone,
               Stalled,
               StepDone,
               ModelSnapshot,
               CheckpointSaved>
      what;
};

Severity severity_of(const Event& event) noexcept;

/// One line for people, without origin and time.
std::string describe(const Event& event);

/// Takes events; on threads several at once: implementations lock for themselves and never call
/// back into a Peer.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  virtual void on_event(const Event& event) = 0;
};

}  // namespace starling
