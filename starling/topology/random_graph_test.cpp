#include "starling/topology/random_graph.hpp"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/topology/catalog.hpp"

namespace starling::topology {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& name, std::size_t peers) {
  try {
    make_topology({.name = name, .peers = peers});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing was refused";
}

using Edges = std::set<std::pair<std::size_t, std::size_t>>;

Edges edges(const std::string& name, std::size_t peers, std::uint64_t seed) {
  const auto topology = make_topology({.name = name, .peers = peers, .seed = seed});
  Edges all;
  for (std::size_t i = 0; i < peers; ++i) {
    for (const Link& link : topology->row(0, i).sends) {
      all.emplace(i, link.rank);
    }
  }
  return all;
}

bool is_connected(const Edges& all, std::size_t peers) {
  Graph graph(peers);
  for (const auto& [a, b] : all) {
    graph.add_arc(a, b);
  }
  return !graph.cut_off();
}

TEST(RandomRegular, GivesEverybodyTheDegreeAndConnects) {
  for (std::size_t degree = 2; degree <= 8; ++degree) {
    for (std::size_t peers = degree + 1; peers <= 24; ++peers) {
      if (degree * peers % 2 == 1) {
        continue;
      }
      const std::string name = "random-regular:" + std::to_string(degree);
      const auto topology = make_topology({.name = name, .peers = peers, .seed = peers});
      for (std::size_t i = 0; i < peers; ++i) {
        EXPECT_EQ(topology->row(0, i).sends.size(), degree) << name << " of " << peers;
      }
      EXPECT_TRUE(is_connected(edges(name, peers, peers), peers));
    }
  }
}

// The 3-regular graphs on 6 labelled vertices: 60 like the prism, 10 complete bipartite. If all 70
// are equally likely, 1400 draws give 200 bipartite ones, deviation sqrt(1400 / 7 * 6 / 7) = 13; 5
// of those are 65.
TEST(RandomRegular, ReachesAllGraphsAlike) {
  int bipartite = 0;
  for (std::uint64_t seed = 0; seed < 1400; ++seed) {
    const Edges all = edges("random-regular:3", 6, seed);
    bool has_triangle = false;
    for (const auto& [a, b] : all) {
      for (std::size_t c = 0; c < 6; ++c) {
        has_triangle = has_triangle || (all.contains({a, c}) && all.contains({b, c}));
      }
    }
    bipartite += has_triangle ? 0 : 1;
  }
  EXPECT_NEAR(bipartite, 200, 65);
}

TEST(RandomRegular, OfDegreeTwoIsACycle) {
  const Edges cycle = edges("random-regular:2", 9, 4);
  EXPECT_EQ(cycle.size(), 18U);
  EXPECT_TRUE(is_connected(cycle, 9));
  EXPECT_NE(cycle, edges("random-regular:2", 9, 5));
}

TEST(RandomRegular, IsTheSameForTheSameSeedOnly) {
  EXPECT_EQ(edges("random-regular:4", 20, 1), edges("random-regular:4", 20, 1));
  EXPECT_NE(edges("random-regular:4", 20, 1), edges("random-regular:4", 20, 2));
}

TEST(RandomRegular, RefusesImpossibleDegreesWithTheNearest) {
  EXPECT_THAT(refusal("random-regular:4", 4), HasSubstr("nearest: random-regular:3"));
  EXPECT_THAT(refusal("random-regular:3", 7), HasSubstr("nearest: random-regular:2, or 8 peers"));
  EXPECT_THAT(refusal("random-regular:1", 4), HasSubstr("nearest: random-regular:2"));
  EXPECT_THAT(refusal("random-regular:0", 4), HasSubstr("expected a degree from 1, found '0'"));
  EXPECT_THAT(refusal("random-regular:two", 4), HasSubstr("found 'two'"));
}

// Edges are binomial with mean P n(n-1)/2 = 496 and deviation 19.3; 5 of those are 96.
TEST(ErdosRenyi, DrawsEdgesWithTheirProbability) {
  const Edges all = edges("erdos-renyi:0.25", 64, 3);
  EXPECT_NEAR(static_cast<double>(all.size() / 2), 0.25 * 64 * 63 / 2 - 8, 104);
  EXPECT_TRUE(is_connected(all, 64));
}

TEST(ErdosRenyi, IsTheSameForTheSameSeedOnly) {
  EXPECT_EQ(edges("erdos-renyi", 20, 1), edges("erdos-renyi", 20, 1));
  EXPECT_NE(edges("erdos-renyi", 20, 1), edges("erdos-renyi", 20, 2));
}

TEST(ErdosRenyi, WithCertainEdgesIsFull) {
  EXPECT_EQ(edges("erdos-renyi:1", 6, 1), edges("full", 6, 1));
}

TEST(ErdosRenyi, IsDrawnUntilConnected) {
  for (std::uint64_t seed = 0; seed < 20;
       ++seed) {  // 0.2 alone connects 12 ranks about every third time
    EXPECT_TRUE(is_connected(edges("erdos-renyi:0.2", 12, seed), 12));
  }
}

TEST(ErdosRenyi, GivesUpWithTheProbabilityThatWouldDo) {
  EXPECT_THAT(refusal("erdos-renyi:0.001", 32),
              HasSubstr("no connected graph in 100 draws for 32 peers; a probability that usually "
                        "gives one: erdos-renyi:0.234375"));
}

TEST(ErdosRenyi, RefusesWhatIsNoProbability) {
  for (const char* name :
       {"erdos-renyi:0", "erdos-renyi:1.5", "erdos-renyi:-1", "erdos-renyi:nan", "erdos-renyi:x"}) {
    EXPECT_THAT(refusal(name, 4), HasSubstr("expected a probability above 0 and at most 1"))
        << name;
  }
}

}  // namespace
}  // namespace starling::topology
