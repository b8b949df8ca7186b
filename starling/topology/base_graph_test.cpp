#include "starling/topology/base_graph.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "starling/topology/catalog.hpp"
#include "starling/topology/spectral.hpp"

namespace starling::topology {
namespace {

std::shared_ptr<const Topology> base(std::size_t k, std::size_t peers) {
  return make_topology({.name = "base:" + std::to_string(k), .peers = peers});
}

TEST(Base, LengthsAreThoseOfThePage) {
  const std::vector<std::vector<std::size_t>> page{// n = 2 .. 16 for k = 1, 2, 3
                                                   {1, 3, 2, 5, 4, 5, 3, 7, 6, 7, 5, 7, 6, 7, 4},
                                                   {1, 1, 2, 3, 2, 4, 3, 2, 4, 5, 3, 5, 5, 4, 4},
                                                   {1, 1, 1, 3, 2, 3, 2, 2, 4, 4, 2, 4, 4, 4, 2}};
  for (std::size_t k = 1; k <= 3; ++k) {
    for (std::size_t n = 2; n <= 16; ++n) {
      EXPECT_EQ(base(k, n)->period(), page[k - 1][n - 2]) << "k " << k << ", n " << n;
    }
  }
  EXPECT_EQ(base(1, 25)->period(), 9U);
  EXPECT_EQ(base(2, 25)->period(), 6U);
  EXPECT_EQ(base(1, 100)->period(), 11U);
  EXPECT_EQ(base(2, 100)->period(), 8U);
  EXPECT_EQ(base(3, 100)->period(), 6U);
}

TEST(Base, ProductOfTheRoundsIsTheMeanForEveryNumberOfPeers) {
  for (std::size_t k = 1; k <= 4; ++k) {
    for (std::size_t n = 2; n <= 100; ++n) {
      const auto topology = base(k, n);
      EXPECT_TRUE(topology->traits().symmetric);
      EXPECT_TRUE(topology->traits().row_stochastic && topology->traits().column_stochastic);
      const Matrix product = mixing_product(*topology, 0, topology->period());
      double worst = 0.0;
      for (const double entry : product.entries) {
        worst = std::max(worst, std::abs(entry - 1.0 / static_cast<double>(n)));
      }
      EXPECT_LE(worst, 1e-12) << "k " << k << ", n " << n;
    }
  }
}

TEST(Base, NobodyHasMoreThanKNeighboursInARound) {
  for (std::size_t k = 1; k <= 4; ++k) {
    for (std::size_t n = 2; n <= 100; ++n) {
      const auto topology = base(k, n);
      for (std::uint64_t round = 0; round < topology->period(); ++round) {
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_LE(topology->row(round, i).receives.size(), k) << "n " << n << ", round " << round;
        }
      }
    }
  }
}

TEST(Base, IsNeverLongerThanSimpleBase) {
  for (std::size_t k = 1; k <= 4; ++k) {
    for (std::size_t n = 2; n <= 100; ++n) {
      const auto simple = make_topology({.name = "simple-base:" + std::to_string(k), .peers = n});
      EXPECT_LE(base(k, n)->period(), simple->period()) << "k " << k << ", n " << n;
    }
  }
}

// n = 6, k = 1: two sets of three side by side, then the pairs {j, 3 + j}.
TEST(Base, RunsSetsSideBySideAndThenAcross) {
  const auto six = base(1, 6);
  EXPECT_EQ(six->row(0, 4).receives, (std::vector<Link>{{3, 0.5}}));
  EXPECT_EQ(six->row(1, 4).receives, (std::vector<Link>{{5, 2.0 / 3.0}}));
  EXPECT_EQ(six->row(3, 4).receives, (std::vector<Link>{{1, 0.5}}));
}

TEST(Base, WithoutKIsBaseTwoAndAnyKIsTaken) {
  EXPECT_EQ(make_topology({.name = "base", .peers = 11})->row(2, 3), base(1, 11)->row(2, 3));
  EXPECT_EQ(base(100, 11)->row(0, 3).receives.size(), 10U) << "all others, there are no more";
}

// docs/topologies.md: the table of cycle lengths, whose heading is the numbers of peers.
TEST(Documentation, GivesTheLengthsThatAreComputed) {
  std::ifstream page(STARLING_SOURCE_DIR "/docs/topologies.md");
  const std::vector<std::size_t> peers{3, 5, 6, 7, 12, 15, 16, 25, 100};
  std::size_t rows = 0;
  for (std::string line; std::getline(page, line);) {
    for (const char* name : {"simple-base:1", "base:1", "base:2", "base:3", "null-cascade"}) {
      const std::string start = std::string("| `") + name + "`";
      if (line.rfind(start, 0) != 0 || line.find("any n") != std::string::npos) {
        continue;
      }
      ++rows;
      std::istringstream cells(line.substr(line.find('|', 1) + 1));
      for (const std::size_t n : peers) {
        std::uint64_t length = 0;
        char bar = ' ';
        cells >> length >> bar;
        EXPECT_EQ(length, make_topology({.name = name, .peers = n})->period()) << name << ", " << n;
      }
    }
  }
  EXPECT_EQ(rows, 5U);
}

}  // namespace
}  // namespace starling::topology
