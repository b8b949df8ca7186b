#include "starling/topology/lattice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/topology/catalog.hpp"

namespace starling::topology {
namespace {

using ::testing::HasSubstr;

std::vector<std::size_t> neighbours(const std::string& name, std::size_t peers, std::size_t rank) {
  std::vector<std::size_t> ranks;
  for (const Link& link : make_topology({.name = name, .peers = peers})->row(0, rank).receives) {
    ranks.push_back(link.rank);
  }
  return ranks;
}

using Ranks = std::vector<std::size_t>;

TEST(Torus, LinksAlongEveryAxis) {
  EXPECT_EQ(neighbours("torus:3x4", 12, 5), (Ranks{1, 4, 6, 9}));
  EXPECT_EQ(neighbours("torus:3x4", 12, 0), (Ranks{1, 3, 4, 8}));
  EXPECT_EQ(neighbours("torus:3x3x3", 27, 13), (Ranks{4, 10, 12, 14, 16, 22}));
}

TEST(Torus, MergesDoubledEdges) {
  EXPECT_EQ(neighbours("torus:2x4", 8, 0), (Ranks{1, 3, 4}));
  const auto thin = make_topology({.name = "torus:2x4", .peers = 8});
  EXPECT_EQ(thin->row(0, 0).receives.front().weight, 0.25);
  const auto square = make_topology({.name = "torus:2x2", .peers = 4});  // the ring of four
  EXPECT_EQ(square->row(0, 0).receives, (std::vector<Link>{{1, 1.0 / 3.0}, {2, 1.0 / 3.0}}));
}

TEST(Torus, DropsAxesOfExtentOne) {
  EXPECT_EQ(neighbours("torus:1x5", 5, 0), (Ranks{1, 4}));
  EXPECT_EQ(neighbours("torus:3x1x4", 12, 5), (Ranks{1, 4, 6, 9}));
  EXPECT_EQ(neighbours("torus:1x1", 1, 0), Ranks{});
}

TEST(Torus, AloneIsTheMostSquareOne) {
  EXPECT_EQ(neighbours("torus", 12, 5), neighbours("torus:3x4", 12, 5));
  EXPECT_EQ(neighbours("torus", 3, 0), (Ranks{1, 2}));
}

TEST(Grid, HasOpenEnds) {
  EXPECT_EQ(neighbours("grid:3x4", 12, 5), (Ranks{1, 4, 6, 9}));
  EXPECT_EQ(neighbours("grid:3x4", 12, 0), (Ranks{1, 4}));
  EXPECT_EQ(neighbours("grid:2x2x2", 8, 7), (Ranks{3, 5, 6}));
  EXPECT_EQ(neighbours("grid", 3, 1), (Ranks{0, 2}));
}

std::string refusal(const std::string& name, std::size_t peers) {
  try {
    make_topology({.name = name, .peers = peers});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Lattice, RefusesPrimesWithTheNearestCounts) {
  EXPECT_THAT(refusal("torus", 7),
              HasSubstr("nearest shapes: torus:2x3 (6 peers), torus:2x4 (8 peers)"));
  EXPECT_THAT(refusal("grid", 13), HasSubstr("grid:3x4 (12 peers), grid:2x7 (14 peers)"));
  for (const std::size_t peers : {2U, 3U}) {
    EXPECT_NO_THROW(make_topology({.name = "torus", .peers = peers}));
  }
}

TEST(Lattice, RefusesExtentsThatDoNotFillTheGroup) {
  EXPECT_THAT(refusal("torus:3x4", 10), HasSubstr("found 10 peers; nearest shape: torus:2x5"));
  EXPECT_THAT(refusal("torus:2x3", 7), HasSubstr("torus:2x4 (8 peers)"));
  // 2^32 x 2^32 is 0 modulo 2^64: the product must not be formed.
  EXPECT_THAT(refusal("grid:4294967296x4294967296", 4), HasSubstr("extents from 1 to 4"));
}

TEST(Lattice, RefusesWhatIsNoShape) {
  for (const char* name : {"torus:",
                           "torus:4",
                           "torus:4x",
                           "torus:x4",
                           "torus:0x4",
                           "torus:2y2",
                           "torus:-2x2",
                           "torus:2x2x1x1",
                           "torus:2x2 "}) {
    EXPECT_THAT(refusal(name, 4), HasSubstr("extents")) << name;
  }
}

}  // namespace
}  // namespace starling::topology
