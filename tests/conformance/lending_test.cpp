// Posted memory: read in place or copied, given back, delivered whole or not at all. That a wait
// succeeds says that the memory is free, not that the message was read: each world tests for itself
// when that is.
#include <array>
#include <vector>

#include "tests/conformance/on_worlds.hpp"

namespace starling::testing {

namespace {

class Lending : public OnWorlds {};

STARLING_ON_WORLDS(Lending, 2, 3, 7);

std::vector<float> ramp(std::size_t size, float start) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), start);
  return values;
}

Expected expect_floats(std::size_t size, const Stamp& stamp = {}) {
  return {stamp, size * sizeof(float)};
}

TEST_P(Lending, AddsStraightIntoTheSum) {
  run([](Peer& peer) {
    // Odd sizes around the ones a transport may cut at; values are small integers, so sums are
    // exact.
    for (const std::size_t size : {0U, 1U, 2U, 1023U, 16384U, 16385U, 100003U}) {
      const std::vector<float> own = ramp(size, 1.0F);
      std::vector<float> sum(size, 0.5F);
      Pending lent = peer.post(next_of(peer), kTag, {}, bytes_of(own));
      peer.receive_add(previous_of(peer), kTag, expect_floats(size), sum, soon(peer)).or_throw();
      lent.wait(soon(peer)).or_throw();
      for (std::size_t k = 0; k < size; ++k) {
        ASSERT_EQ(sum[k], own[k] + 0.5F) << k;
      }
    }
  });
}

TEST_P(Lending, ReadsIntoASpan) {
  run([](Peer& peer) {
    const std::vector<float> own = ramp(20001, static_cast<float>(peer.id().value));
    std::vector<float> copy(own.size());
    Pending lent = peer.post(next_of(peer), kTag, {.weight = 0.25}, bytes_of(own));
    const Stamp stamp =
        peer.receive_into(previous_of(peer), kTag, expect_floats(own.size()), copy, soon(peer))
            .or_throw();
    lent.wait(soon(peer)).or_throw();
    EXPECT_EQ(stamp.weight, 0.25);
    EXPECT_EQ(copy, ramp(own.size(), static_cast<float>(previous_of(peer).value)));
  });
}

TEST_P(Lending, PiecesAreWholeAndInOrder) {
  run([](Peer& peer) {
    const std::vector<float> own = ramp(100001, 0.0F);
    Pending lent = peer.post(next_of(peer), kTag, {}, bytes_of(own));
    std::size_t seen = 0;
    const auto sink = [&](std::size_t offset, std::span<const std::byte> piece) {
      EXPECT_EQ(offset, seen);
      EXPECT_EQ(offset % 8, 0U);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece.data()) % alignof(float), 0U);
      seen += piece.size();
      if (seen < own.size() * sizeof(float)) {
        EXPECT_EQ(piece.size() % 8, 0U);
      }
    };
    peer.receive_pieces(previous_of(peer), kTag, expect_floats(own.size()), sink, soon(peer))
        .or_throw();
    EXPECT_EQ(seen, own.size() * sizeof(float));
    lent.wait(soon(peer)).or_throw();
  });
}

TEST_P(Lending, MemoryMayChangeAfterTheWait) {
  run([](Peer& peer) {
    std::vector<float> own(1000);
    std::vector<float> found(own.size());
    for (std::uint64_t round = 0; round < 50; ++round) {
      std::fill(own.begin(), own.end(), static_cast<float>(round));
      Pending lent = peer.post(next_of(peer), kTag, round_stamp(round), bytes_of(own));
      peer.receive_into(previous_of(peer),
                        kTag,
                        expect_floats(own.size(), round_stamp(round)),
                        found,
                        soon(peer))
          .or_throw();
      lent.wait(soon(peer)).or_throw();
      EXPECT_EQ(found.front(), static_cast<float>(round));
      EXPECT_EQ(found.back(), static_cast<float>(round));
    }
  });
}

TEST_P(Lending, BytesMayLieAnywhere) {
  run([](Peer& peer) {
    std::array<std::byte, 4 * sizeof(float) + 1> storage{};
    const std::array<float, 4> values = {1.0F, 2.0F, 3.0F, 4.0F};
    std::copy_n(std::as_bytes(std::span(values)).begin(), sizeof(values), storage.begin() + 1);
    std::array<float, 4> sum{};
    Pending lent = peer.post(next_of(peer), kTag, {}, std::span(storage).subspan(1));
    peer.receive_add(previous_of(peer), kTag, expect_floats(4), sum, soon(peer)).or_throw();
    lent.wait(soon(peer)).or_throw();
    EXPECT_EQ(sum, values);
  });
}

TEST_P(Lending, SentAndPostedKeepOneOrder) {
  run([](Peer& peer) {
    constexpr std::uint64_t kRounds = 20;
    std::vector<std::array<float, 1>> own(kRounds);
    std::vector<Pending> lent;
    for (std::uint64_t k = 0; k < kRounds; ++k) {
      own[k][0] = static_cast<float>(k);
      if (k % 2 == 0) {
        lent.push_back(peer.post(next_of(peer), kTag, round_stamp(k), bytes_of(own[k])));
      } else {
        peer.send(next_of(peer), kTag, round_stamp(k), floats({own[k][0]}), soon(peer)).or_throw();
      }
    }
    for (std::uint64_t k = 0; k < kRounds; ++k) {
      const Message message = peer.receive(previous_of(peer), kTag, soon(peer)).or_throw();
      EXPECT_EQ(message.stamp.round, k);
      EXPECT_EQ(message.payload.values()[0], static_cast<float>(k));
    }
    for (Pending& each : lent) {
      each.wait(soon(peer)).or_throw();
    }
  });
}

TEST_P(Lending, ReceivedBufferOutlivesTheLoan) {
  run([](Peer& peer) {
    std::vector<float> own(500, 1.0F);
    Pending lent = peer.post(next_of(peer), kTag, {}, bytes_of(own));
    const Message message = peer.receive(previous_of(peer), kTag, soon(peer)).or_throw();
    lent.wait(soon(peer)).or_throw();
    std::fill(own.begin(), own.end(), 2.0F);
    meet(peer);  // the other's memory has changed by now
    EXPECT_EQ(message.payload.values()[499], 1.0F);
  });
}

/// What comes from the previous peer: at most one message of round 1, which holds nothing but 1,
/// then the one of round 2, whose weight is given back. @return whether round 1 came
bool hears_round_1(Peer& peer, double* weight = nullptr) {
  Message message = peer.receive(previous_of(peer), kTag, soon(peer)).or_throw();
  const bool first = message.stamp.round == 1;
  if (first) {
    EXPECT_THAT(message.payload.values(), ::testing::Each(1.0F)) << "as it was lent";
    message = peer.receive(previous_of(peer), kTag, soon(peer)).or_throw();
  }
  EXPECT_EQ(message.stamp.round, 2U);
  if (weight != nullptr) {
    *weight = message.stamp.weight;
  }
  return first;
}

TEST_P(Lending, DroppedHandleGivesTheMemoryBackAtOnce) {
  run([](Peer& peer) {
    std::vector<float> own(100'000, 1.0F);
    { const Pending lent = peer.post(next_of(peer), kTag, round_stamp(1), bytes_of(own)); }
    std::fill(own.begin(), own.end(), 9.0F);
    peer.send(next_of(peer), kTag, round_stamp(2), {}, soon(peer)).or_throw();
    (void)hears_round_1(peer);  // or does not, but never a changed one
  });
}

TEST_P(Lending, MovedHandlesGiveBackOnce) {
  run([](Peer& peer) {
    std::vector<float> own(10, 1.0F);
    const std::vector<float> other(10, 1.0F);
    Pending first = peer.post(next_of(peer), kTag, round_stamp(1), bytes_of(own));
    Pending second = std::move(first);
    second = peer.post(next_of(peer), kTag, round_stamp(2), bytes_of(other));
    std::fill(own.begin(), own.end(), 9.0F);  // given back by the assignment
    (void)hears_round_1(peer);
    second.wait(soon(peer)).or_throw();
    EXPECT_TRUE(second.wait(soon(peer))) << "a handle that is done has nothing to wait for";
    EXPECT_TRUE(Pending().wait(soon(peer)));
  });
}

TEST_P(Lending, WhatIsWaitedForIsDeliveredOrTakenBack) {
  run([](Peer& peer) {
    std::vector<float> own(10, 1.0F);
    Pending lent = peer.post(next_of(peer), kTag, round_stamp(1), bytes_of(own));
    const Result<void> done = lent.wait(peer.clock().in(30ms));  // nobody reads it yet
    std::fill(own.begin(), own.end(), 9.0F);                     // ours again, either way
    if (!done) {
      EXPECT_EQ(done.error().kind, FailureKind::deadline);
      EXPECT_EQ(done.error().peer, next_of(peer));
      EXPECT_GE(done.error().waited, 30ms);
      EXPECT_THAT(done.error().message(), ::testing::HasSubstr("user/0"));
    }
    const Stamp told{.round = 2, .weight = done ? 1.0 : 0.0};
    peer.send(next_of(peer), kTag, told, {}, soon(peer)).or_throw();
    meet(peer);
    double promised = 0.5;
    EXPECT_EQ(hears_round_1(peer, &promised) ? 1.0 : 0.0, promised)
        << "success delivers it, failure takes it back";
  });
}

}  // namespace

}  // namespace starling::testing
