#include "starling/peer/group.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "starling/core/ensure.hpp"

namespace starling {

Group::Group(Peer& peer, std::vector<PeerId> members, std::uint32_t version)
    : peer_(&peer), members_(std::move(members)), version_(version) {
  const std::set<PeerId> distinct(members_.begin(), members_.end());
  ensure(distinct.size() == members_.size(),
         "group members are distinct",
         members_.size(),
         distinct.size());
  const auto self = std::find(members_.begin(), members_.end(), peer.id());
  ensure(self != members_.end(), "a group holds the peer that uses it", peer.id().value);
  rank_ = static_cast<std::size_t>(self - members_.begin());
}

Group Group::everyone(Peer& peer) {
  const auto peers = peer.peers();
  return {peer, {peers.begin(), peers.end()}};
}

Group Group::without(const std::vector<std::size_t>& gone) const {
  std::vector<PeerId> survivors;
  for (std::size_t rank = 0; rank < members_.size(); ++rank) {
    if (std::find(gone.begin(), gone.end(), rank) == gone.end()) {
      survivors.push_back(members_[rank]);
    }
  }
  return {*peer_, std::move(survivors), version_ + 1};
}

PeerId Group::member(std::size_t rank) const {
  ensure(rank < members_.size(), "no such rank in the group", rank, members_.size());
  return members_[rank];
}

Result<void> Group::send(
    std::size_t to, Tag tag, Stamp stamp, Buffer payload, Deadline deadline) const {
  stamp.group = version_;
  return peer_->send(member(to), tag, stamp, std::move(payload), deadline);
}

Pending Group::post(std::size_t to,
                    Tag tag,
                    Stamp stamp,
                    std::span<const std::byte> payload) const {
  stamp.group = version_;
  return peer_->post(member(to), tag, stamp, payload);
}

Result<Message> Group::receive(std::size_t from, Tag tag, Deadline deadline) const {
  for (;;) {
    Result<Message> message = peer_->receive(member(from), tag, deadline, version_);
    if (!message || message->stamp.group == version_) {
      return message;
    }
  }
}

Result<Stamp> Group::receive_pieces(
    std::size_t from, Tag tag, Expected expected, PieceSink sink, Deadline deadline) const {
  expected.stamp.group = version_;
  return peer_->receive_pieces(member(from), tag, expected, sink, deadline);
}

Result<std::optional<Stamp>> Group::try_receive_pieces(
    std::size_t from, Tag tag, Expected expected, PieceSink sink, Deadline deadline) const {
  expected.stamp.group = version_;
  return peer_->try_receive_pieces(member(from), tag, expected, sink, deadline);
}

Result<Stamp> Group::receive_into(
    std::size_t from, Tag tag, Expected expected, std::span<float> out, Deadline deadline) const {
  expected.stamp.group = version_;
  return peer_->receive_into(member(from), tag, expected, out, deadline);
}

Result<Stamp> Group::receive_add(
    std::size_t from, Tag tag, Expected expected, std::span<float> sum, Deadline deadline) const {
  expected.stamp.group = version_;
  return peer_->receive_add(member(from), tag, expected, sum, deadline);
}

}  // namespace starling
