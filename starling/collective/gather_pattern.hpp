// All-gathers in which a rank sends everything its partner lacks: who talks to whom is given, the
// blocks follow by playing all ranks' sets through the rounds.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// Who sends to somebody in a round: at most two, ascending, each once.
class Sources {
 public:
  void add(std::size_t source);

  [[nodiscard]] const std::size_t* begin() const { return sources_.data(); }

  [[nodiscard]] const std::size_t* end() const { return sources_.data() + count_; }

  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  std::array<std::size_t, 2> sources_{};
  std::size_t count_ = 0;
};

/// A round in which messages go along one axis of a torus.
struct GatherRound {
  std::size_t stride = 1;        ///< how ranks grow along the axis
  std::vector<Sources> sources;  ///< by coordinate of the receiver: coordinates
};

/// Who talks to whom.
struct GatherPattern {
  std::size_t peers = 1;
  std::vector<GatherRound> rounds;
};

/// Whether everybody has everything in the end. Cost as that of gather_lane().
bool is_complete(const GatherPattern& pattern);

/// Where the block of an owner lies: first + owner * stride.
struct Numbering {
  std::size_t first = 0;
  std::size_t stride = 1;
};

/// The messages of one rank: each has what the receiver lacks of what the sender had when the round
/// began; what two could send is sent by the lower one, and who has nothing to send is silent. So
/// every block reaches every rank once. Cost: time in the order of rounds * peers^2 / 64, memory of
/// about (rounds * 8 + 128) bytes a peer besides the messages.
/// @pre the pattern is complete
Lane gather_lane(const GatherPattern& pattern, std::size_t rank, const Numbering& numbering);

}  // namespace starling::collective
