#include "starling/peer/group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"

#include "tests/support/worlds.hpp"

namespace starling {

namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr Tag kTag{Purpose::user, 0};

/// Runs `body` on `peers` threads; the run must end well.
void on_threads(std::size_t peers, const std::function<void(Peer&)>& body) {
  testing::make_world(testing::Kind::threads, {.peers = peers})->run(body).or_throw();
}

TEST(Group, RanksFollowTheOrderOfItsMembers) {
  on_threads(3, [](Peer& peer) {
    const Group all = Group::everyone(peer);
    EXPECT_EQ(all.size(), 3U);
    EXPECT_EQ(all.rank(), peer.id().value);
    const Group reversed(peer, {{2}, {1}, {0}}, 5);
    EXPECT_EQ(reversed.rank(), 2 - peer.id().value);
    EXPECT_EQ(reversed.member(0), PeerId{2});
    EXPECT_EQ(reversed.version(), 5U);
    EXPECT_THROW((void)reversed.member(3), ContractError);
  });
}

TEST(Group, RefusesDoublesAndStrangers) {
  on_threads(2, [](Peer& peer) {
    EXPECT_THROW(Group(peer, {peer.id(), peer.id()}), ContractError);
    EXPECT_THROW(Group(peer, {{1 - peer.id().value}}), ContractError);
    EXPECT_THROW(Group(peer, {}), ContractError);
  });
}

TEST(Group, SurvivorsKeepTheirOrderInANewVersion) {
  on_threads(4, [](Peer& peer) {
    if (peer.id() == PeerId{1}) {
      return;
    }
    const Group before(peer, {{3}, {1}, {0}, {2}}, 7);
    const Group after = before.without({1});
    EXPECT_EQ(after.version(), 8U);
    ASSERT_EQ(after.size(), 3U);
    EXPECT_EQ(after.member(0), PeerId{3});
    EXPECT_EQ(after.member(1), PeerId{0});
    EXPECT_EQ(after.member(2), PeerId{2});
    EXPECT_THROW((void)before.without({before.rank()}), ContractError) << "left itself out";
  });
}

TEST(Group, StampsItsVersionAndDropsWhatIsOlder) {
  on_threads(2, [](Peer& peer) {
    const Deadline deadline = peer.clock().in(30s);
    const Group first = Group::everyone(peer);
    const Group second = first.without({});
    const std::size_t other = 1 - first.rank();
    first.send(other, kTag, {.group = 99, .round = 1}, {}, deadline).or_throw();
    second.send(other, kTag, {.round = 2}, {}, deadline).or_throw();
    const Message message = second.receive(other, kTag, deadline).or_throw();
    EXPECT_EQ(message.stamp.round, 2U);
    EXPECT_EQ(message.stamp.group, second.version());
  });
}

TEST(Group, RefusesMessagesOfALaterOne) {
  on_threads(2, [](Peer& peer) {
    const Deadline deadline = peer.clock().in(30s);
    const Group first = Group::everyone(peer);
    const std::size_t other = 1 - first.rank();
    first.without({}).send(other, kTag, {}, {}, deadline).or_throw();
    const Result<Message> message = first.receive(other, kTag, deadline);
    ASSERT_FALSE(message);
    EXPECT_EQ(message.error().kind, FailureKind::refused);
    EXPECT_EQ(message.error().peer, first.member(other));
    EXPECT_THAT(message.error().message(), HasSubstr("membership 1, this group is 0"));
  });
}

TEST(Group, ReceivesIntoSpansByRank) {
  on_threads(2, [](Peer& peer) {
    const Deadline deadline = peer.clock().in(30s);
    const Group group(peer, {{1}, {0}}, 3);
    const std::size_t other = 1 - group.rank();
    const std::vector<float> own = {1.0F, 2.0F};
    for (int repeat = 0; repeat < 2; ++repeat) {
      Pending lent = group.post(other, kTag, {}, std::as_bytes(std::span(own)));
      std::vector<float> found = {10.0F, 10.0F};
      const Expected expected{{}, 8};
      if (repeat == 0) {
        group.receive_into(other, kTag, expected, found, deadline).or_throw();
        EXPECT_EQ(found, own);
      } else {
        group.receive_add(other, kTag, expected, found, deadline).or_throw();
        EXPECT_EQ(found[1], 12.0F);
      }
      lent.wait(deadline).or_throw();
    }
    std::vector<float> three(3);
    EXPECT_THROW((void)group.receive_add(other, kTag, {{}, 8}, three, deadline), ContractError);
    EXPECT_THROW((void)group.receive_into(other, kTag, {{}, 8}, three, deadline), ContractError);
  });
}

}  // namespace

}  // namespace starling
