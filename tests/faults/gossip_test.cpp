// Averaging by random matchings under 500 fault schedules: every run ends, and either the result is
// right or the failure has a name.
#include <cmath>
#include <memory>
#include <numeric>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "starling/mixing/doubly_stochastic.hpp"
#include "starling/peer/group.hpp"
#include "starling/topology/catalog.hpp"

#include "tests/faults/schedules.hpp"

namespace starling::testing {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPeers = 8;
constexpr std::uint64_t kRounds = 24;

/// Halves of pairs: the sum of all values stays, if every exchange succeeds at both ends.
class Gossip {
 public:
  Gossip(OnLoss on_loss, std::uint64_t seed)
      : on_loss_(on_loss),
        matching_(
            topology::make_topology({.name = "random-matching", .peers = kPeers, .seed = seed})),
        values_(kPeers) {}

  void operator()(Peer& peer) {
    const Group group = Group::everyone(peer);
    const std::span value(&values_[group.rank()], 1);
    value[0] = static_cast<float>(group.rank());
    mixing::EarlyMessages early;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      peer.compute(500ms, [] {});
      mixing::mix_with_neighbours(
          value,
          matching_->row(round, group.rank()),
          group,
          {.round = round, .deadline = peer.clock().in(20s), .on_loss = on_loss_, .early = &early});
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
    if (on_loss_ == OnLoss::continue_ || !report.ok()) {
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
  OnLoss on_loss_;
  std::shared_ptr<const topology::Topology> matching_;
  std::vector<float> values_;
};

FaultTrial trial(OnLoss on_loss) {
  FaultTrial trial;
  trial.peers = kPeers;
  trial.run = [on_loss](SimWorld& world, std::uint64_t seed) {
    Gossip gossip(on_loss, seed);
    const RunReport report = world.run([&](Peer& peer) { gossip(peer); });
    return complaint_about(report) + gossip.complaint(report);
  };
  return trial;
}

/// kSeedsOfTest seeds a test, so that none takes long; the parameter is the first.
class FaultSchedules : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(FaultSchedules, StrictGossipIsRightOrNamesTheCause) {
  expect_to_survive(trial(OnLoss::stop), GetParam(), kSeedsOfTest);
}

TEST_P(FaultSchedules, TolerantGossipGoesOn) {
  expect_to_survive(trial(OnLoss::continue_), GetParam(), kSeedsOfTest);
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
