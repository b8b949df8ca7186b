// What one peer does in a training run, from the first word to the last.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "starling/objective/objective.hpp"
#include "starling/peer/peer.hpp"
#include "starling/trainer/checkpoint.hpp"
#include "starling/trainer/lost_peers.hpp"
#include "starling/trainer/plan.hpp"
#include "starling/trainer/resume.hpp"
#include "starling/trainer/stop_point.hpp"

namespace starling::trainer {

/// What a peer leaves behind when its work is done.
struct PeerResult {
  bool began = false;  ///< all peers had agreed, its training was under way
  bool finished = false;
  std::uint64_t steps = 0;  ///< done
  std::uint64_t samples_seen = 0;
  std::vector<float> parameters;  ///< x
  std::vector<float> model;       ///< the evaluation view of x
  Meter meter;                    ///< of the training alone: without handshake and evaluation
  objective::Evaluation own_evaluation;  ///< of fewer samples if an interrupt cut it short
};

/// How a resumed run begins.
struct Beginning {
  Checkpoint checkpoint;
  /// Set if the checkpoint is of another number of peers: its models are averaged and the rest of
  /// its epoch is dealt anew.
  std::optional<RestOfEpoch> rest;
};

struct Work {
  const Plan& plan;
  const Beginning* beginning;  ///< null: afresh
  StopPoint& stop;
  LostPeers& lost;
};

/// Trains the replica of `peer`; `result` tells how far it got, also if this throws. Runs on the
/// peer's own activity. @throws PeerLost, NotFiniteError, StorageError, ConfigError (models differ
/// between peers)
void work(Peer& peer, const Work& work, PeerResult& result);

}  // namespace starling::trainer
