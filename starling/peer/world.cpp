#include "starling/peer/world.hpp"

#include "starling/peer/goodbye.hpp"
#include "starling/peer/peer.hpp"

namespace starling {

std::vector<PeerId> peers_by_rank(std::size_t size) {
  std::vector<PeerId> peers;
  peers.reserve(size);
  for (std::size_t rank = 0; rank < size; ++rank) {
    peers.push_back({rank});
  }
  return peers;
}

Goodbye close_outcome(Peer& peer, PeerOutcome& outcome) {
  Goodbye goodbye = goodbye_of(peer.id(), outcome.error);
  outcome.ended = peer.clock().now();
  outcome.meter += peer.meter();
  if (outcome.error) {
    peer.emit_if_possible(PeerGone{peer.id(), goodbye.words, goodbye.code});
  }
  return goodbye;
}

std::optional<std::size_t> culprit_of(const std::vector<PeerOutcome>& peers) {
  std::optional<std::size_t> first;
  bool first_is_consequence = false;
  for (std::size_t rank = 0; rank < peers.size(); ++rank) {
    if (!peers[rank].error) {
      continue;
    }
    const bool consequence = is_consequence(peers[rank].error);
    const bool better =
        !first || (first_is_consequence && !consequence) ||
        (first_is_consequence == consequence && peers[rank].ended < peers[*first].ended);
    if (!better) {
      continue;
    }
    first = rank;
    first_is_consequence = consequence;
  }
  return first;
}

}  // namespace starling
