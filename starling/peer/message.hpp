// What travels between peers: a tag to match, a stamp to check, a payload.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "starling/core/buffer.hpp"
#include "starling/core/peer_id.hpp"

namespace starling {

/// What a message is for. Messages of different purposes never match each other.
enum class Purpose : std::uint8_t {
  user,        ///< tests and applications
  control,     ///< handshakes, agreement on small facts
  collective,  ///< exact group operations
  mixing,      ///< inexact averaging
};

/// Messages match by (source, destination, tag) and keep their order there. Tags come from this
/// bounded set: rounds belong into the stamp, never into the tag.
struct Tag {
  Purpose purpose = Purpose::user;
  std::uint16_t lane = 0;  ///< an independent stream of the same purpose, e.g. a port of a torus

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 mistakes a defaulted <=>
  friend constexpr auto operator<=>(const Tag&, const Tag&) = default;
};

/// Where a message may come from: one peer, or any.
using Source = std::optional<PeerId>;
inline constexpr Source kAnyPeer = std::nullopt;

/// Lanes are numbered 0 .. kLanesMax-1.
inline constexpr std::uint16_t kLanesMax = 256;

/// One of the queues of a reader: messages of one are read in the order they were sent.
struct QueueKey {
  Tag tag;
  PeerId from;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 mistakes a defaulted <=>
  friend constexpr auto operator<=>(const QueueKey&, const QueueKey&) = default;
};

/// "mixing/0", for messages.
std::string to_string(Tag tag);

/// The few numbers that go with every payload.
struct Stamp {
  std::uint32_t group = 0;      ///< membership version of the sender's group
  std::uint32_t operation = 0;  ///< digest of the operation, so that different ones never mix
  std::uint64_t round = 0;      ///< round or step the payload belongs to
  double weight = 1.0;          ///< push-sum weight, sample count: whatever weighs the payload

  friend bool operator==(const Stamp&, const Stamp&) = default;
};

/// Bytes a message costs beyond its payload (counted apart from the payload).
inline constexpr std::size_t kMessageOverheadBytes = 40;

struct Message {
  PeerId from;
  Stamp stamp;
  Buffer payload;
};

/// What the receiver of a message of known shape insists on; the weight is not compared.
struct Expected {
  Stamp stamp;
  std::size_t bytes = 0;
};

/// stale: the message comes from an earlier membership of the group and is to be dropped unread;
/// later: from a later one, for which it stays where it is.
enum class Fit : std::uint8_t { fits, stale, later, misfit };

Fit compare(const Expected& expected, const Stamp& found, std::size_t found_bytes) noexcept;

/// "expected round 4 with 1024 bytes, found round 5 with 2048 bytes".
std::string mismatch_text(const Expected& expected, const Stamp& found, std::size_t found_bytes);

}  // namespace starling
