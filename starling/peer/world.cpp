#include "starling/peer/world.hpp"

#include "starling/peer/goodbye.hpp"

namespace starling {

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
