// What only the thread world promises: no copies, no allocation in the steady state, its options.
#include "starling/transport/threads/thread_world.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/peer/peer.hpp"

namespace starling {

namespace {

using namespace std::chrono_literals;

constexpr Tag kTag{Purpose::user, 0};

TEST(ThreadWorld, RefusesWhatCannotBe) {
  EXPECT_THROW(ThreadWorld({.peers = 0}), ConfigError);
  EXPECT_THROW(ThreadWorld({.peers = 1, .slow_warning = Duration{}}), ConfigError);
  EXPECT_THROW(ThreadWorld({.peers = 1, .spin = Duration(-1)}), ConfigError);
}

TEST(ThreadWorld, TellsItsNameAndSize) {
  const ThreadWorld world({.peers = 3});
  EXPECT_EQ(world.name(), "threads");
  EXPECT_EQ(world.size(), 3U);
}

TEST(ThreadWorld, SentBuffersAreHandedOverNotCopied) {
  const std::byte* sent = nullptr;
  const std::byte* received = nullptr;
  ThreadWorld world({.peers = 2});
  world
      .run([&](Peer& peer) {
        const Deadline deadline = peer.clock().in(30s);
        if (peer.id() == PeerId{0}) {
          Buffer payload(4096);
          sent = payload.bytes().data();
          peer.send({1}, kTag, {}, std::move(payload), deadline).or_throw();
        } else {
          received = peer.receive(PeerId{0}, kTag, deadline).or_throw().payload.bytes().data();
        }
      })
      .or_throw();
  EXPECT_NE(sent, nullptr);
  EXPECT_EQ(sent, received);
}

TEST(ThreadWorld, LentBytesAreReadWhereTheyLie) {
  const std::vector<float> lent(100000, 1.0F);
  bool inside = true;
  std::size_t pieces = 0;
  ThreadWorld world({.peers = 2});
  world
      .run([&](Peer& peer) {
        const Deadline deadline = peer.clock().in(30s);
        const auto memory = std::as_bytes(std::span(lent));
        if (peer.id() == PeerId{0}) {
          peer.post({1}, kTag, {}, memory).wait(deadline).or_throw();
          return;
        }
        const auto sink = [&](std::size_t offset, std::span<const std::byte> piece) {
          ++pieces;
          inside = inside && piece.data() == memory.data() + offset;
        };
        peer.receive_pieces({0}, kTag, {{}, memory.size()}, sink, deadline).or_throw();
      })
      .or_throw();
  EXPECT_TRUE(inside);
  EXPECT_GT(pieces, 1U) << "pieces fit the cache";
}

/// Peer 0 lends memory; peer 1 reads only once that is over, and must not find it then.
void lend_unread(const std::function<void(Peer&, std::span<const std::byte>)>& lend) {
  constexpr Tag kGo{Purpose::user, 1};
  const std::vector<float> own(10, 1.0F);
  ThreadWorld world({.peers = 2});
  world
      .run([&](Peer& peer) {
        const Deadline deadline = peer.clock().in(30s);
        if (peer.id() == PeerId{0}) {
          lend(peer, std::as_bytes(std::span(own)));
          peer.send({1}, kTag, {.round = 2}, {}, deadline).or_throw();
          peer.send({1}, kGo, {}, {}, deadline).or_throw();
          return;
        }
        peer.receive(PeerId{0}, kGo, deadline).or_throw();
        EXPECT_EQ(peer.receive(PeerId{0}, kTag, deadline).or_throw().stamp.round, 2U);
      })
      .or_throw();
}

TEST(ThreadWorld, UnreadLoanIsTakenBackAtItsDeadline) {
  lend_unread([](Peer& peer, std::span<const std::byte> memory) {
    const Result<void> done =
        peer.post({1}, kTag, {.round = 1}, memory).wait(peer.clock().in(30ms));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, FailureKind::deadline);
    EXPECT_GE(done.error().waited, 30ms);
  });
}

TEST(ThreadWorld, UnreadLoanIsTakenBackWhenItsHandleGoes) {
  lend_unread([](Peer& peer, std::span<const std::byte> memory) {
    const Pending lent = peer.post({1}, kTag, {.round = 1}, memory);
  });
}

TEST(ThreadWorld, UnreadLoanIsTakenBackByAStop) {
  lend_unread([](Peer& peer, std::span<const std::byte> memory) {
    const auto lender = peer.spawn("lender", [&](Peer& self, std::stop_token) {
      const Result<void> done =
          self.post({1}, kTag, {.round = 1}, memory).wait(Deadline{Time::max()});
      ASSERT_FALSE(done);
      EXPECT_EQ(done.error().kind, FailureKind::cancelled);
    });
    lender->request_stop();
    lender->join(peer.clock().in(30s)).or_throw();
  });
}

TEST(ThreadWorld, UnreadLoanIsLostWhenItsReaderLeaves) {
  const std::vector<float> own(10, 1.0F);
  ThreadWorld world({.peers = 2});
  world
      .run([&](Peer& peer) {
        if (peer.id() == PeerId{1}) {
          return;
        }
        Pending lent = peer.post({1}, kTag, {}, std::as_bytes(std::span(own)));
        const Result<void> done = lent.wait(peer.clock().in(30s));
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().kind, FailureKind::lost);
      })
      .or_throw();
}

TEST(ThreadWorld, WorksWithAndWithoutSpinning) {
  for (const Duration spin : {Duration{}, Duration(20us), Duration(1ms)}) {
    for (const std::size_t peers : {2U, 5U}) {
      ThreadWorld world({.peers = peers, .spin = spin});
      world
          .run([](Peer& peer) {
            const std::size_t n = peer.peers().size();
            const PeerId next{(peer.id().value + 1) % n};
            const PeerId previous{(peer.id().value + n - 1) % n};
            for (int k = 0; k < 200; ++k) {
              peer.send(next, kTag, {}, {}, peer.clock().in(30s)).or_throw();
              peer.receive(previous, kTag, peer.clock().in(30s)).or_throw();
            }
          })
          .or_throw();
    }
  }
}

TEST(ThreadWorld, ActivitiesSeeTheSamePeer) {
  ThreadWorld world({.peers = 2, .seed = 5});
  world
      .run([](Peer& peer) {
        const std::uint64_t expected = Random(peer.random("x").state()).next_u64();
        peer.spawn("twin",
                   [&](Peer& self, std::stop_token) {
                     EXPECT_EQ(self.id(), peer.id());
                     EXPECT_EQ(self.seed(), 5U);
                     EXPECT_EQ(self.peers().size(), 2U);
                     EXPECT_EQ(self.random("x").next_u64(), expected);
                   })
            ->join(peer.clock().in(30s))
            .or_throw();
      })
      .or_throw();
}

}  // namespace

}  // namespace starling
