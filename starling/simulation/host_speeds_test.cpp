#include "starling/simulation/host_speeds.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"

namespace starling::simulation {

namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;

TEST(HostSpeeds, AreEqualUnlessSaid) {
  EXPECT_THAT(plan_speeds("", "", 3, 1), ElementsAre(1, 1, 1));
  EXPECT_THAT(plan_speeds("2", "", 3, 1), ElementsAre(2, 2, 2));
  EXPECT_THAT(plan_speeds("1,0.5,2", "", 3, 1), ElementsAre(1, 0.5, 2));
}

TEST(HostSpeeds, RangesAreDrawnFromTheSeed) {
  const auto speeds = plan_speeds("0.5..2", "", 100, 7);
  EXPECT_THAT(speeds, Each(AllOf(Ge(0.5), Le(2.0))));
  EXPECT_LT(*std::min_element(speeds.begin(), speeds.end()), 0.7);
  EXPECT_GT(*std::max_element(speeds.begin(), speeds.end()), 1.8);
  EXPECT_EQ(speeds, plan_speeds("0.5..2", "", 100, 7));
  EXPECT_NE(speeds, plan_speeds("0.5..2", "", 100, 8));
  const auto fewer = plan_speeds("0.5..2", "", 50, 7);
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), speeds.begin())) << "others change nothing";
}

TEST(HostSpeeds, StragglersAreNamedOrDrawn) {
  EXPECT_THAT(plan_speeds("", "1x10,2x4", 4, 1), ElementsAre(1, 0.1, 0.25, 1));
  EXPECT_THAT(plan_speeds("2", "0x4", 2, 1), ElementsAre(0.5, 2));
  const auto drawn = plan_speeds("", "10%x5", 1000, 3);
  const auto slow = std::count(drawn.begin(), drawn.end(), 0.2);
  EXPECT_EQ(std::count(drawn.begin(), drawn.end(), 1.0), 1000 - slow);
  // Binomial(1000, 0.1): mean 100, standard deviation 9.5; five of them.
  EXPECT_NEAR(static_cast<double>(slow), 100, 48);
}

TEST(HostSpeeds, NonsenseIsRefusedWithTheForm) {
  for (const char* text : {"0", "-1", "a", "1,2", "1,2,3,4", "2..1", "..2", "1..", "inf", ","}) {
    EXPECT_THROW((void)plan_speeds(text, "", 3, 1), ConfigError) << text;
  }
  for (const char* text :
       {"3x2", "1", "x2", "1x0", "101%x2", "1x", "a%x2", "0x2,,1x2", "1x2,0x2,1x4", "5%x2,10%x4"}) {
    EXPECT_THROW((void)plan_speeds("", text, 3, 1), ConfigError) << text;
  }
  try {
    (void)plan_speeds("", "7x2", 3, 1);
    FAIL() << "peer 7 of 3 must be refused";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a peer from 0 to 2"));
  }
}

}  // namespace

}  // namespace starling::simulation
