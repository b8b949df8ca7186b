#include "starling/simulation/pace.hpp"

#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"

namespace starling::simulation {

namespace {

using namespace std::chrono_literals;

Time at(Duration since_start) {
  return Time{since_start};
}

TEST(Pace, DividesTheCostByTheSpeed) {
  EXPECT_EQ(Pace().finish(at(3s), 2s), at(5s));
  EXPECT_EQ(Pace(4.0).finish(at(3s), 2s), at(3500ms));
  EXPECT_EQ(Pace(0.5).finish(at(0s), 0s), at(0s));
}

TEST(Pace, SlowSpellsCountForTheirTimeOnly) {
  const Pace pace(1.0, {{at(1s), at(3s), 0.25}});
  EXPECT_EQ(pace.finish(at(0s), 1s), at(1s));
  // One second at full speed, half a second's work in the spell, the rest after it.
  EXPECT_EQ(pace.finish(at(0s), 2s), at(3500ms));
  EXPECT_EQ(pace.finish(at(1s), 250ms), at(2s));
  EXPECT_EQ(pace.finish(at(3s), 1s), at(4s));
}

TEST(Pace, OverlappingSpellsMultiply) {
  const Pace pace(1.0, {{at(0s), at(10s), 0.5}, {at(2s), Time::max(), 0.5}});
  EXPECT_EQ(pace.finish(at(0s), 1s), at(2s));
  EXPECT_EQ(pace.finish(at(2s), 1s), at(6s));
  EXPECT_EQ(pace.finish(at(10s), 1s), at(12s));
}

TEST(Pace, NothingHappensInAPause) {
  const Pace pace(1.0, {{at(1s), at(31s), 0.0}});
  EXPECT_EQ(pace.finish(at(0s), 1s), at(1s)) << "done as the pause begins";
  EXPECT_EQ(pace.finish(at(0s), 2s), at(32s));
  EXPECT_EQ(pace.finish(at(5s), 1s), at(32s));
  EXPECT_EQ(pace.awake(at(999ms)), at(999ms));
  EXPECT_EQ(pace.awake(at(1s)), at(31s));
  EXPECT_EQ(pace.awake(at(31s)), at(31s));
  EXPECT_EQ(pace.awake(Time::max()), Time::max());
}

TEST(Pace, AdjoiningPausesAreOne) {
  const Pace pace(1.0, {{at(1s), at(2s), 0.0}, {at(2s), at(3s), 0.0}, {at(2500ms), at(4s), 0.0}});
  EXPECT_EQ(pace.awake(at(1s)), at(4s));
}

TEST(Pace, WhatNeverEndsIsRefused) {
  EXPECT_THROW(Pace(0.0), ContractError);
  EXPECT_THROW(Pace(1.0, {{at(1s), Time::max(), 0.0}}), ContractError);
  EXPECT_THROW(Pace(1.0, {{at(1s), at(2s), -1.0}}), ContractError);
}

}  // namespace

}  // namespace starling::simulation
