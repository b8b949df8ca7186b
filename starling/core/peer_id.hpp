// Who a participant is.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace starling {

/// Identity of one participant: its index in a static world, a key fingerprint in a swarm.
struct PeerId {
  std::uint64_t value = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 mistakes a defaulted <=>
  friend constexpr auto operator<=>(const PeerId&, const PeerId&) = default;
};

/// "peer 3", for messages.
inline std::string to_string(PeerId peer) {
  return "peer " + std::to_string(peer.value);
}

}  // namespace starling
