// A loss: ordinary data at the channel, an exception only where an algorithm cannot go on.
#pragma once

#include <cstdint>
#include <string>

#include "starling/core/exit_code.hpp"
#include "starling/core/peer_id.hpp"
#include "starling/core/time.hpp"

namespace starling {

enum class FailureKind : std::uint8_t {
  lost,       ///< the other peer is gone: it died, left or ended with an error
  deadline,   ///< nothing (or not all) arrived in time
  cancelled,  ///< this peer was told to stop waiting
  refused,    ///< the other peer sent something that does not fit what was expected
};

const char* to_string(FailureKind kind) noexcept;

/// Why a send or a receive did not happen: who, after how long, how far, and whose fault it was
/// first.
struct Failure {
  FailureKind kind = FailureKind::lost;
  PeerId peer;                   ///< the peer at the other end
  std::string what;              ///< one clause: what was expected and what was found
  Duration waited{};             ///< time spent before giving up
  std::uint64_t bytes_done = 0;  ///< payload bytes that had arrived
  PeerId culprit;                ///< the peer the chain of failures began with; `peer` if unknown
  std::string root_cause;        ///< the culprit's own words; empty if unknown
  ExitCode code = ExitCode::peers_lost;  ///< exit code of the root cause

  /// The other peer is in a later membership of the group already: somebody was lost, and this peer
  /// has not missed it yet. What the other has sent there stays for that membership.
  bool outdated = false;

  /// One line for people: names the culprit and its words first, then what was seen here.
  [[nodiscard]] std::string message() const;
};

}  // namespace starling
