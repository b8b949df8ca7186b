// What the receiver insists on: old messages are dropped, wrong ones refused, nothing half-read.
#include <array>
#include <cstring>

#include "starling/collective/collective.hpp"
#include "starling/peer/group.hpp"

#include "tests/conformance/on_worlds.hpp"

namespace starling::testing {

namespace {

class Fitting : public OnWorlds {};

STARLING_ON_WORLDS(Fitting, 2, 4);

constexpr Stamp kStamp{.group = 2, .operation = 11, .round = 4};

TEST_P(Fitting, MessagesOfAnEarlierGroupAreDroppedUnread) {
  run([](Peer& peer) {
    const std::array<float, 2> old = {9.0F, 9.0F};
    const std::array<float, 2> fresh = {1.0F, 2.0F};
    Stamp before = kStamp;
    before.group = 1;
    peer.send(next_of(peer), kTag, before, floats({9.0F}), soon(peer)).or_throw();
    Pending stale = peer.post(next_of(peer), kTag, before, bytes_of(old));
    Pending fits = peer.post(next_of(peer), kTag, kStamp, bytes_of(fresh));
    std::array<float, 2> sum{};
    peer.receive_add(previous_of(peer), kTag, {kStamp, sizeof(sum)}, sum, soon(peer)).or_throw();
    EXPECT_EQ(sum, fresh);
    EXPECT_TRUE(stale.wait(soon(peer))) << "its lender has the memory back";
    fits.wait(soon(peer)).or_throw();
    EXPECT_EQ(peer.meter().messages_received, 1U);
  });
}

struct Wrong {
  Stamp stamp;
  std::size_t floats;
  std::string words;
};

TEST_P(Fitting, MisfitIsRefusedWithBothNumbersAndNothingRead) {
  run([](Peer& peer) {
    std::vector<Wrong> cases = {{kStamp, 3, "expected round 4 with 8 bytes, found round 4 with 12"},
                                {kStamp, 0, "found round 4 with 0 bytes"},
                                {kStamp, 2, "found round 5"},
                                {kStamp, 2, "operation differs"}};
    cases[2].stamp.round = 5;
    cases[3].stamp.operation = 12;
    const std::vector<float> values(3, 1.0F);
    for (const Wrong& wrong : cases) {
      Pending lent = peer.post(
          next_of(peer), kTag, wrong.stamp, bytes_of(std::span(values).first(wrong.floats)));
      const auto never = [](std::size_t, std::span<const std::byte>) { ADD_FAILURE() << "read"; };
      const Failure failure =
          failure_of(peer.receive_pieces(previous_of(peer), kTag, {kStamp, 8}, never, soon(peer)));
      EXPECT_EQ(failure.kind, FailureKind::refused);
      EXPECT_EQ(failure.peer, previous_of(peer));
      EXPECT_THAT(failure.message(), ::testing::HasSubstr(wrong.words));
      EXPECT_TRUE(lent.wait(soon(peer))) << "the message is consumed, its lender has it back";
    }
    // The next message is not touched by what happened to those before.
    peer.send(next_of(peer), kTag, kStamp, floats({1.0F, 2.0F}), soon(peer)).or_throw();
    std::array<float, 2> found{};
    peer.receive_into(previous_of(peer), kTag, {kStamp, 8}, found, soon(peer)).or_throw();
    EXPECT_EQ(found[1], 2.0F);
  });
}

TEST_P(Fitting, AMessageOfALaterMembershipStaysForIt) {
  run([](Peer& peer) {
    Stamp later = kStamp;
    later.group = 3;
    peer.send(next_of(peer), kTag, later, floats({1.0F, 2.0F}), soon(peer)).or_throw();
    std::array<float, 2> found{};
    for (int attempt = 0; attempt < 2; ++attempt) {
      const Failure failure =
          failure_of(peer.receive_into(previous_of(peer), kTag, {kStamp, 8}, found, soon(peer)));
      EXPECT_TRUE(failure.outdated);
      EXPECT_EQ(failure.peer, previous_of(peer));
      EXPECT_THAT(failure.message(),
                  ::testing::HasSubstr("moved on to membership 3, this group is 2"));
    }
    EXPECT_TRUE(failure_of(peer.receive(previous_of(peer), kTag, soon(peer), 2)).outdated);
    peer.receive_into(previous_of(peer), kTag, {later, 8}, found, soon(peer)).or_throw();
    EXPECT_EQ(found[1], 2.0F);
  });
}

TEST_P(Fitting, OneOfSeveralThingsIsAwaited) {
  run([](Peer& peer) {
    const Tag other{Purpose::user, 5};
    const std::array<float, 2> own = {1.0F, 2.0F};
    Pending lent = peer.post(next_of(peer), other, kStamp, bytes_of(own));
    const std::array<Hope, 2> messages{{{previous_of(peer), kTag}, {previous_of(peer), other}}};
    EXPECT_EQ(peer.await_any(messages, soon(peer)).or_throw(), 1U);
    std::array<float, 2> found{};
    const auto store = [&](std::size_t, std::span<const std::byte> piece) {
      std::memcpy(found.data(), piece.data(), piece.size());
    };
    const Expected expected{kStamp, 8};
    EXPECT_EQ(
        peer.try_receive_pieces(previous_of(peer), kTag, expected, store, soon(peer)).or_throw(),
        std::nullopt);
    EXPECT_TRUE(
        peer.try_receive_pieces(previous_of(peer), other, expected, store, soon(peer)).or_throw());
    EXPECT_EQ(found[1], 2.0F);
    const Hope read{next_of(peer), other, &lent};
    EXPECT_EQ(peer.await_any(std::span(&read, 1), soon(peer)).or_throw(), 0U);
    EXPECT_TRUE(lent.wait(soon(peer)));
    collective::Collective(Group::everyone(peer))
        .barrier({.deadline = soon(peer)});  // nobody leaves early
  });
}

TEST_P(Fitting, WeightIsNotCompared) {
  run([](Peer& peer) {
    Stamp heavy = kStamp;
    heavy.weight = 17.0;
    peer.send(next_of(peer), kTag, heavy, {}, soon(peer)).or_throw();
    const Stamp found =
        peer.receive_into(previous_of(peer), kTag, {kStamp, 0}, {}, soon(peer)).or_throw();
    EXPECT_EQ(found.weight, 17.0);
  });
}

TEST_P(Fitting, ThrowingSinkGivesTheMemoryBack) {
  run([](Peer& peer) {
    const std::array<float, 2> own = {1.0F, 2.0F};
    Pending lent = peer.post(next_of(peer), kTag, kStamp, bytes_of(own));
    const auto broken = [](std::size_t, std::span<const std::byte>) {
      throw std::runtime_error("sink");
    };
    EXPECT_THROW(
        (void)peer.receive_pieces(previous_of(peer), kTag, {kStamp, 8}, broken, soon(peer)),
        std::runtime_error);
    EXPECT_TRUE(lent.wait(soon(peer)));
  });
}

TEST_P(Fitting, GroupsOfSurvivorsReuseTheTags) {
  run([](Peer& peer) {
    const Group before = Group::everyone(peer);
    const std::size_t next = (before.rank() + 1) % before.size();
    const std::size_t previous = (before.rank() + before.size() - 1) % before.size();
    before.send(next, kTag, {}, floats({9.0F}), soon(peer)).or_throw();  // never read by this group
    const Group after = before.without({});
    EXPECT_EQ(after.version(), before.version() + 1);
    after.send(next, kTag, {}, floats({1.0F}), soon(peer)).or_throw();
    EXPECT_EQ(after.receive(previous, kTag, soon(peer)).or_throw().payload.values()[0], 1.0F);
  });
}

}  // namespace

}  // namespace starling::testing
