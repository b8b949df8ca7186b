// Averaging by random matchings under 500 fault schedules: every run ends, and either the result is
// right or the failure has a name.
#include <cmath>
#include <numeric>
#include <sstream>

#include <gtest/gtest.h>

#include "starling/mixing/doubly_stochastic.hpp"
#include "starling/topology/catalog.hpp"

#include "tests/faults/averaging.hpp"

namespace starling::testing {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kRounds = 24;

/// Halves of pairs: the sum of all values stays, if every exchange succeeds at both ends.
AveragingCase random_matchings() {
  const auto make = [](const Group& group, std::uint64_t seed) -> Averaging {
    const auto matching =
        topology::make_topology({.name = "random-matching", .peers = kAveragers, .seed = seed});
    return [&group, matching](std::span<float> value, const mixing::MixingOptions& options) {
      mixing::mix_with_neighbours(
          value, matching->row(options.round, group.rank()), group, options);
    };
  };
  const auto complaint = [](std::span<const float> values) {
    // Each of the exchanges rounds each value once, by at most half an ulp of 7.
    const double tolerance = kRounds * kAveragers * 8 * 0x1p-24;
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    std::ostringstream text;
    if (std::abs(sum - 28.0) > tolerance) {
      text << "the sum is " << sum << ", not 28; ";
    }
    return text.str();
  };
  return {.rounds = kRounds, .make = make, .complaint = complaint};
}

/// kSeedsOfTest seeds a test, so that none takes long; the parameter is the first.
class FaultSchedules : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(FaultSchedules, StrictGossipIsRightOrNamesTheCause) {
  expect_to_survive(averaging_trial(random_matchings(), OnLoss::stop), GetParam(), kSeedsOfTest);
}

TEST_P(FaultSchedules, TolerantGossipGoesOn) {
  expect_to_survive(
      averaging_trial(random_matchings(), OnLoss::continue_), GetParam(), kSeedsOfTest);
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
