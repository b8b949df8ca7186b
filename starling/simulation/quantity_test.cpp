#include "starling/simulation/quantity.hpp"

#include <gtest/gtest.h>

namespace starling::simulation {

namespace {

using namespace std::chrono_literals;

TEST(Quantity, DurationsTakeUnits) {
  EXPECT_EQ(parse_duration("2s"), 2s);
  EXPECT_EQ(parse_duration("100ms"), 100ms);
  EXPECT_EQ(parse_duration("10us"), 10us);
  EXPECT_EQ(parse_duration("3ns"), 3ns);
  EXPECT_EQ(parse_duration("1e-6"), 1us);
  EXPECT_EQ(parse_duration("0"), 0s);
}

TEST(Quantity, NoDurationIsGuessed) {
  for (const char* text : {"", "s", "ms", "-1", "2h", "1 s", "1s5", "nan", "inf", "1e300"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(Quantity, BandwidthIsInBits) {
  EXPECT_EQ(parse_bandwidth("1e9"), 1e9);
  EXPECT_EQ(parse_bandwidth("20M"), 20e6);
  EXPECT_EQ(parse_bandwidth("1G"), 1e9);
  EXPECT_EQ(parse_bandwidth("64k"), 64e3);
  for (const char* text : {"", "0", "-1", "M", "1T", "inf", "1 G"}) {
    EXPECT_EQ(parse_bandwidth(text), std::nullopt) << text;
  }
}

TEST(Quantity, SharesAreBetweenNothingAndAll) {
  EXPECT_EQ(parse_share("0.05"), 0.05);
  EXPECT_EQ(parse_share("5%"), 0.05);
  EXPECT_EQ(parse_share("1"), 1.0);
  EXPECT_EQ(parse_share("0"), 0.0);
  for (const char* text : {"", "%", "1.01", "101%", "-0.1", "nan", "x"}) {
    EXPECT_EQ(parse_share(text), std::nullopt) << text;
  }
}

}  // namespace

}  // namespace starling::simulation
