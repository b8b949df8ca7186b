// An ordered list of peers that do something together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "starling/peer/peer.hpp"

namespace starling {

/// Peers with ranks 0 .. size-1, seen by one of them. The version tells memberships apart: messages
/// of an earlier version are dropped unread, so a group rebuilt from the survivors may use the same
/// tags. After PeerLost a group is dead: form the next one with a higher version.
class Group {
 public:
  /// @pre members are distinct and hold peer.id(); peer outlives the group
  Group(Peer& peer, std::vector<PeerId> members, std::uint32_t version = 0);

  /// All peers of a static world.
  static Group everyone(Peer& peer);

  /// The members but those of the ranks `gone`, in the same order, one version later.
  [[nodiscard]] Group without(const std::vector<std::size_t>& gone) const;

  [[nodiscard]] Peer& peer() const noexcept { return *peer_; }

  [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }

  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }

  [[nodiscard]] std::uint32_t version() const noexcept { return version_; }

  [[nodiscard]] PeerId member(std::size_t rank) const;

  /// As Peer's calls, with ranks; the stamp's group is filled in and checked here.
  Result<void> send(std::size_t to, Tag tag, Stamp stamp, Buffer payload, Deadline deadline) const;
  Pending post(std::size_t to, Tag tag, Stamp stamp, std::span<const std::byte> payload) const;

  /// The next message of the current membership from `from`; one of a later membership is refused.
  [[nodiscard]] Result<Message> receive(std::size_t from, Tag tag, Deadline deadline) const;
  [[nodiscard]] Result<Stamp> receive_pieces(
      std::size_t from, Tag tag, Expected expected, PieceSink sink, Deadline deadline) const;
  [[nodiscard]] Result<std::optional<Stamp>> try_receive_pieces(
      std::size_t from, Tag tag, Expected expected, PieceSink sink, Deadline deadline) const;
  [[nodiscard]] Result<Stamp> receive_into(
      std::size_t from, Tag tag, Expected expected, std::span<float> out, Deadline deadline) const;
  [[nodiscard]] Result<Stamp> receive_add(
      std::size_t from, Tag tag, Expected expected, std::span<float> sum, Deadline deadline) const;

 private:
  Peer* peer_;
  std::vector<PeerId> members_;
  std::size_t rank_ = 0;
  std::uint32_t version_;
};

}  // namespace starling
