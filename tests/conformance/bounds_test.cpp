// Deadlines and bounded queues: nothing waits for ever, nothing grows without bound.
#include <array>

#include "starling/peer/queue_room.hpp"

#include "tests/conformance/on_worlds.hpp"

namespace starling::testing {

namespace {

class Bounds : public OnWorlds {};

STARLING_ON_WORLDS(Bounds, 2, 3, 8);

TEST_P(Bounds, ReceiveGivesUpAtItsDeadlineAndNamesTheSource) {
  run([](Peer& peer) {
    const Time start = peer.clock().now();
    const Failure failure =
        failure_of(peer.receive(previous_of(peer), kTag, peer.clock().in(30ms)));
    EXPECT_GE(peer.clock().now() - start, 30ms);
    EXPECT_EQ(failure.kind, FailureKind::deadline);
    EXPECT_EQ(failure.peer, previous_of(peer));
    EXPECT_GE(failure.waited, 30ms);
    EXPECT_THAT(failure.message(), ::testing::HasSubstr(to_string(previous_of(peer))));
    EXPECT_THAT(failure.message(), ::testing::HasSubstr("user/0"));
    meet(peer);  // nobody leaves before all have given up
  });
}

TEST_P(Bounds, ReceiveFromAnyoneGivesUpToo) {
  run([](Peer& peer) {
    const Failure failure = failure_of(peer.receive(kAnyPeer, kTag, peer.clock().in(10ms)));
    EXPECT_EQ(failure.kind, FailureKind::deadline);
    EXPECT_THAT(failure.what, ::testing::HasSubstr("anyone"));
    meet(peer);
  });
}

TEST_P(Bounds, FailureCountsTheWholeWaitAcrossWarnings) {
  // The last warning comes after 320 ms, so a count from there on would be 80 ms. A busy machine
  // may start the wait a while after the deadline was worked out.
  run(
      [](Peer& peer) {
        const Failure failure =
            failure_of(peer.receive(previous_of(peer), kTag, peer.clock().in(400ms)));
        EXPECT_GE(failure.waited, 200ms);
        meet(peer);
      },
      {.slow_warning = 5ms});
}

TEST_P(Bounds, FailureCountsTheWaitBeforeAStaleMessage) {
  // The stale one comes after 300 ms, so a count from there on would be 100 ms.
  run([](Peer& peer) {
    const Deadline deadline = peer.clock().in(400ms);
    const auto late = peer.spawn("late", [](Peer& self, std::stop_token) {
      self.clock().sleep_for(300ms);
      self.send(next_of(self), kTag, {.group = 1}, {}, soon(self)).or_throw();
    });
    const Expected expected{{.group = 2}, 0};
    const Failure failure =
        failure_of(peer.receive_into(previous_of(peer), kTag, expected, {}, deadline));
    EXPECT_EQ(failure.kind, FailureKind::deadline);
    EXPECT_GE(failure.waited, 200ms);
    EXPECT_EQ(peer.meter().waiting, failure.waited);
    late->join(soon(peer)).or_throw();
    meet(peer);
  });
}

TEST_P(Bounds, PassedDeadlineStillTakesWhatIsThere) {
  run([](Peer& peer) {
    peer.send(next_of(peer), kTag, round_stamp(9), {}, soon(peer)).or_throw();
    meet(peer);  // so kTag's is there, too
    EXPECT_EQ(peer.receive(previous_of(peer), kTag, Deadline{}).or_throw().stamp.round, 9U);
  });
}

TEST_P(Bounds, FarDeadlineIsNoDeadlineInThePast) {
  run([](Peer& peer) {
    peer.clock().sleep_for(Duration(peer.id().value * 5'000'000));
    peer.send(next_of(peer), kTag, {}, {}, Deadline{Time::max()}).or_throw();
    peer.receive(previous_of(peer), kTag, Deadline{Time::max()}).or_throw();
  });
}

TEST_P(Bounds, FullQueueHoldsTheSenderBack) {
  constexpr std::uint64_t kFarTooMany = 100'000;
  run([](Peer& peer) {
    if (peer.id().value > 1) {
      return;
    }
    if (peer.id() == PeerId{1}) {
      const std::uint64_t sent =
          peer.receive(PeerId{0}, kOtherTag, soon(peer)).or_throw().stamp.round;
      for (std::uint64_t k = 0; k <= sent; ++k) {
        EXPECT_EQ(peer.receive(PeerId{0}, kTag, soon(peer)).or_throw().stamp.round, k);
      }
      return;
    }
    std::uint64_t sent = 0;
    Result<void> room;
    while (sent < kFarTooMany) {
      room = peer.send({1}, kTag, round_stamp(sent), floats({1.0F}), peer.clock().in(20ms));
      if (!room) {
        break;
      }
      ++sent;
    }
    const Failure failure = failure_of(room);
    EXPECT_EQ(failure.kind, FailureKind::deadline);
    EXPECT_EQ(failure.peer, PeerId{1});
    EXPECT_GE(failure.waited, 20ms);
    // Another lane has a queue of its own; what was refused is sent once the reader makes room.
    peer.send({1}, kOtherTag, round_stamp(sent), {}, soon(peer)).or_throw();
    peer.send({1}, kTag, round_stamp(sent), floats({1.0F}), soon(peer)).or_throw();
  });
}

TEST_P(Bounds, PostsThatNobodyReadsFillUpToo) {
  constexpr std::uint64_t kFarTooMany = 100'000;
  run([](Peer& peer) {
    if (peer.id() == PeerId{0}) {
      const std::array<float, 1> own = {1.0F};
      std::uint64_t given_back = 0;
      Result<void> done;
      while (done && given_back < kFarTooMany) {
        done = peer.post({1}, kTag, {}, bytes_of(own)).wait(peer.clock().in(20ms));
        given_back += done ? 1 : 0;
      }
      EXPECT_EQ(failure_of(done).kind, FailureKind::deadline);
      EXPECT_LE(given_back, 2 * QueueRoom::kMessagesMax) << "copies have a bound as what is sent";
    }
    meet(peer);
  });
}

TEST_P(Bounds, SlowReaderGetsEverythingInOrder) {
  constexpr std::uint64_t kMessages = 500;
  run([](Peer& peer) {
    if (peer.id().value > 1) {
      return;
    }
    for (std::uint64_t k = 0; k < kMessages; ++k) {
      if (peer.id() == PeerId{0}) {
        peer.send({1}, kTag, round_stamp(k), floats({1.0F}), soon(peer)).or_throw();
        continue;
      }
      if (k % 100 == 0) {
        peer.clock().sleep_for(2ms);
      }
      EXPECT_EQ(peer.receive(PeerId{0}, kTag, soon(peer)).or_throw().stamp.round, k);
    }
  });
}

}  // namespace

}  // namespace starling::testing
