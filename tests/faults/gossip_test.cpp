// Averaging by gossip under 500 fault schedules, with nothing but the seam: every run ends, and
// either the result is right or the failure has a name.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/buffer.hpp"
#include "starling/core/random.hpp"
#include "starling/peer/peer.hpp"

#include "tests/faults/schedules.hpp"

namespace starling::testing {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPeers = 8;
constexpr std::uint64_t kRounds = 24;
constexpr Tag kTag{Purpose::mixing, 0};

/// Who exchanges with whom in `round`: the same random matching at every peer.
PeerId partner_of(PeerId self, std::uint64_t round, std::uint64_t seed) {
  std::vector<std::uint64_t> order(kPeers);
  std::iota(order.begin(), order.end(), 0U);
  Random random(stream_key(seed, round), stream_key("tests.matching"));
  random.shuffle(std::span(order));
  const auto at = std::find(order.begin(), order.end(), self.value) - order.begin();
  return {order[static_cast<std::size_t>(at) ^ 1U]};
}

/// The partner's value of this round; what is left of earlier rounds is thrown away.
Result<float> value_of(Peer& peer, PeerId partner, std::uint64_t round, Deadline deadline) {
  for (;;) {
    Result<Message> message = peer.receive(partner, kTag, deadline);
    if (!message) {
      return message.error();
    }
    if (message->stamp.round == round) {
      return message->payload.values()[0];
    }
    if (message->stamp.round > round) {
      return std::numeric_limits<float>::quiet_NaN();
    }
  }
}

Result<float> exchange(Peer& peer, PeerId partner, std::uint64_t round, float value) {
  const Deadline deadline = peer.clock().in(20s);
  const Buffer own = Buffer::copy_of(std::span<const float>(&value, 1));
  if (auto sent = peer.send(partner, kTag, {.round = round}, own.share(), deadline); !sent) {
    return sent.error();
  }
  return value_of(peer, partner, round, deadline);
}

/// Halves of pairs: the sum of all values stays, if every exchange succeeds at both ends.
class Gossip {
 public:
  explicit Gossip(bool tolerant) : tolerant_(tolerant), values_(kPeers) {}

  void operator()(Peer& peer) {
    float& value = values_[peer.id().value];
    value = static_cast<float>(peer.id().value);
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      peer.compute(500ms, [] {});
      const PeerId partner = partner_of(peer.id(), round, peer.seed());
      Result<float> other = exchange(peer, partner, round, value);
      if (!other && !tolerant_) {
        std::move(other).or_throw();
      }
      // A partner that is ahead missed this round: nothing was exchanged.
      if (other && std::isfinite(*other)) {
        value = 0.5F * (value + *other);
      }
    }
  }

  /// What is wrong with the values of the peers that finished.
  [[nodiscard]] std::string complaint(const RunReport& report) const {
    std::ostringstream text;
    for (std::size_t rank = 0; rank < kPeers; ++rank) {
      const float value = values_[rank];
      const bool between = value >= 0.0F && value <= static_cast<float>(kPeers - 1);
      if (!report.peers[rank].error && !between) {
        text << "peer " << rank << " ends with " << value << "; ";
      }
    }
    if (tolerant_ || !report.ok()) {
      return text.str();
    }
    // Each of the exchanges rounds each value once, by at most half an ulp of 7.
    const double tolerance = kRounds * kPeers * 8 * 0x1p-24;
    const double sum = std::accumulate(values_.begin(), values_.end(), 0.0);
    if (std::abs(sum - 28.0) > tolerance) {
      text << "the sum is " << sum << ", not 28; ";
    }
    return text.str();
  }

 private:
  bool tolerant_;
  std::vector<float> values_;
};

FaultTrial trial(bool tolerant) {
  FaultTrial trial;
  trial.peers = kPeers;
  trial.run = [tolerant](SimWorld& world, std::uint64_t) {
    Gossip gossip(tolerant);
    const RunReport report = world.run([&](Peer& peer) { gossip(peer); });
    return complaint_about(report) + gossip.complaint(report);
  };
  return trial;
}

/// 25 seeds a test, so that none takes long; the parameter is the first.
class FaultSchedules : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(FaultSchedules, StrictGossipIsRightOrNamesTheCause) {
  expect_to_survive(trial(false), GetParam(), 25);
}

TEST_P(FaultSchedules, TolerantGossipGoesOn) {
  expect_to_survive(trial(true), GetParam(), 25);
}

INSTANTIATE_TEST_SUITE_P(Seeds, FaultSchedules, ::testing::Range<std::uint64_t>(0, 500, 25));

TEST(FaultHarness, SeesARunThatDoesNotEnd) {
  FaultTrial endless{.peers = 2, .time_limit = 5s, .run = [](SimWorld& world, std::uint64_t) {
                       return complaint_about(world.run([](Peer& peer) {
                         for (;;) {
                           peer.compute(1s, [] {});
                         }
                       }));
                     }};
  SimWorld world({.peers = 2, .time_limit = 5s});
  EXPECT_NE(endless.run(world, 0), "");
}

TEST(FaultHarness, SeesAFailureWithoutAName) {
  SimWorld world({.peers = 2});
  EXPECT_NE(complaint_about(world.run([](Peer&) { throw std::runtime_error("oops"); })), "");
  EXPECT_EQ(complaint_about(world.run([](Peer&) {})), "");
}

TEST(FaultHarness, SchedulesDifferAndRepeat) {
  const FaultTrial eight{.peers = 8, .run = {}};
  EXPECT_EQ(schedule_of(3, eight).faults, schedule_of(3, eight).faults);
  EXPECT_NE(schedule_of(3, eight).faults, schedule_of(4, eight).faults);
}

}  // namespace

}  // namespace starling::testing
