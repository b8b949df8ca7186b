#include "starling/topology/hypercube.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/topology/catalog.hpp"

namespace starling::topology {
namespace {

using ::testing::HasSubstr;

TEST(Hypercube, LinksRanksThatDifferInOneDigit) {
  const auto cube = make_topology({.name = "hypercube", .peers = 8});
  EXPECT_EQ(cube->row(0, 5).receives, (std::vector<Link>{{1, 0.25}, {4, 0.25}, {7, 0.25}}));
  EXPECT_EQ(cube->row(0, 5).self_weight, 0.25);
}

TEST(OnePeerHypercube, CrossesOneDimensionARound) {
  const auto cube = make_topology({.name = "one-peer-hypercube", .peers = 8});
  EXPECT_EQ(cube->period(), 3U);
  EXPECT_TRUE(cube->traits().symmetric);
  for (std::uint64_t round = 0; round < 6; ++round) {
    const std::size_t partner = 5U ^ (std::size_t{1} << (round % 3));
    EXPECT_EQ(cube->row(round, 5).receives, (std::vector<Link>{{partner, 0.5}}));
  }
}

TEST(Hypercube, RefusesOtherCountsWithTheNearest) {
  for (const char* name : {"hypercube", "one-peer-hypercube"}) {
    try {
      make_topology({.name = name, .peers = 12});
      ADD_FAILURE() << name << " was made for 12 peers";
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr("found 12; nearest: 8, 16"));
    }
  }
}

}  // namespace
}  // namespace starling::topology
