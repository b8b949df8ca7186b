#include "starling/topology/simple_base.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/topology/catalog.hpp"
#include "starling/topology/spectral.hpp"

namespace starling::topology {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const Topology> simple_base(std::size_t k, std::size_t peers) {
  return make_topology({.name = "simple-base:" + std::to_string(k), .peers = peers});
}

// n = 3, k = 1: (0 1) half; (1 2) with weight 2/3; (0 1) half.
TEST(SimpleBase, WorkedExampleOfThreePeers) {
  const auto three = simple_base(1, 3);
  ASSERT_EQ(three->period(), 3U);
  for (const std::uint64_t round : {0U, 2U}) {
    EXPECT_EQ(three->row(round, 0).receives, (std::vector<Link>{{1, 0.5}}));
    EXPECT_EQ(three->row(round, 1).receives, (std::vector<Link>{{0, 0.5}}));
    EXPECT_TRUE(three->row(round, 2).is_idle());
  }
  EXPECT_TRUE(three->row(1, 0).is_idle());
  EXPECT_EQ(three->row(1, 1).receives, (std::vector<Link>{{2, 2.0 / 3.0}}));
  EXPECT_EQ(three->row(1, 2).receives, (std::vector<Link>{{1, 2.0 / 3.0}}));
}

TEST(SimpleBase, LengthsAreThoseOfThePage) {
  const std::vector<std::size_t> page{1, 3, 2, 5, 5, 5, 3, 7, 7, 7, 7, 7, 7, 7, 4};  // n = 2 .. 16
  for (std::size_t n = 2; n <= 16; ++n) {
    EXPECT_EQ(simple_base(1, n)->period(), page[n - 2]) << n;
  }
}

TEST(SimpleBase, LengthIsAtMostTwiceTheLogarithmAndTwo) {
  for (std::size_t k = 1; k <= 4; ++k) {
    for (std::size_t n = 2; n <= 100; ++n) {
      const double bound =
          2.0 * std::log(static_cast<double>(n)) / std::log(static_cast<double>(k + 1)) + 2.0;
      EXPECT_LE(static_cast<double>(simple_base(k, n)->period()), bound + 1e-9) << n;
    }
  }
}

TEST(SimpleBase, ProductOfTheRoundsIsTheMeanForEveryNumberOfPeers) {
  for (std::size_t k = 1; k <= 4; ++k) {
    for (std::size_t n = 2; n <= 100; ++n) {
      const auto topology = simple_base(k, n);
      EXPECT_TRUE(topology->traits().symmetric);
      EXPECT_TRUE(topology->traits().row_stochastic && topology->traits().column_stochastic);
      const Matrix product = mixing_product(*topology, 0, topology->period());
      double worst = 0.0;
      std::size_t degree = 0;
      for (const double entry : product.entries) {
        worst = std::max(worst, std::abs(entry - 1.0 / static_cast<double>(n)));
      }
      for (std::uint64_t round = 0; round < topology->period(); ++round) {
        for (std::size_t i = 0; i < n; ++i) {
          degree = std::max(degree, topology->row(round, i).receives.size());
        }
      }
      EXPECT_LE(worst, 1e-12) << "k " << k << ", n " << n;
      EXPECT_LE(degree, k) << "n " << n;
    }
  }
}

TEST(SimpleBase, MembersOfADonorThatNobodyTakesAverageAmongThemselves) {
  // n = 5 = 4 + 1, k = 1: round 2 is the donation of 0..3, of which 4 takes 3; 0 and 1 form the
  // first chunk of two, 2 is left alone.
  const auto five = simple_base(1, 5);
  EXPECT_EQ(five->row(2, 4).receives, (std::vector<Link>{{3, 0.8}}));
  EXPECT_EQ(five->row(2, 0).receives, (std::vector<Link>{{1, 0.5}}));
  EXPECT_TRUE(five->row(2, 2).is_idle());
}

TEST(SimpleBase, HasWeightsOfItsOwn) {
  for (const char* rule : {"uniform", "metropolis-hastings", "push"}) {
    try {
      make_topology({.name = "simple-base", .weights = rule, .peers = 6});
      ADD_FAILURE() << rule << " was taken";
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr("its weights are its own, found --weights")) << rule;
    }
  }
}

}  // namespace
}  // namespace starling::topology
