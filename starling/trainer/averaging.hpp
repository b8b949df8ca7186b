// Averaging only, without learning: how fast the peers come to the mean of what they began with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "starling/mixing/averager_catalog.hpp"
#include "starling/trainer/consensus_errors.hpp"
#include "starling/trainer/train.hpp"

namespace starling::trainer {

/// What is averaged: peer i begins with D numbers drawn from N(0, 1), its own stream under the
/// seed. Repeat k is the experiment of seed + k: its vectors, its random graphs or cells, its
/// failures.
struct Averaging {
  mixing::AveragerOptions averager;  ///< with the number of peers and the seed
  std::size_t elements = 100;        ///< D
  std::uint64_t rounds = 20;
  double failure_rate = 0.0;  ///< probability that a peer is absent from a round, see Absences
  std::uint64_t repeats = 1;
  double timeout_seconds = 60.0;  ///< of a round
  double slow_warning_seconds = 5.0;
};

/// One round, mean over the repeats.
struct AveragingRoundMeans {
  std::uint64_t round = 0;  ///< from 1
  RoundErrors errors;
  double bytes_per_peer = 0.0;  ///< payload sent in this round, mean over the peers
};

/// Until the variance was at most this for the first time.
struct RoundsToTarget {
  std::string target;  ///< "1e-9"
  double variance = 0.0;
  std::uint64_t reached = 0;  ///< repeats that came there
  double rounds = 0.0;        ///< mean over the repeats; NaN unless all came there
};

struct AveragingSummary {
  Averaging averaging;
  std::string how;    ///< "gossip over ring"
  std::string world;  ///< "threads", "sim"
  std::vector<AveragingRoundMeans> rounds;
  std::vector<RoundsToTarget> targets;  ///< 1e-4 and 1e-9
  double messages_per_peer = 0.0;       ///< in all rounds of a repeat, mean over peers and repeats
  double virtual_seconds = 0.0;         ///< of a repeat, mean; 0 outside simulation
  double wall_seconds = 0.0;            ///< of all repeats
};

struct AveragingSurroundings {
  WorldFactory make_world;
  Observer* observer = nullptr;  ///< gets every event; may be null
  bool virtual_time = false;     ///< the world has a time of its own
  /// Told by every peer after every round, concurrently. May be null.
  std::function<void()> on_round{};
};

/// @throws ConfigError before the first round, PeerLost if a world loses a peer
AveragingSummary average(const Averaging& averaging, const AveragingSurroundings& surroundings);

/// {"rounds": [...], "rounds_to": {...}}: what `starling average --json` prints. A number of rounds
/// is null unless every repeat came there.
std::string to_json(const AveragingSummary& summary);

/// The same with what was run and what it took before it: the content of summary.json.
std::string to_long_json(const AveragingSummary& summary);

}  // namespace starling::trainer
