#include "starling/topology/hyper_hypercube.hpp"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/topology/catalog.hpp"
#include "starling/topology/spectral.hpp"

namespace starling::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kRounding = 1e-12;  // products of a few matrices with entries below 1

std::string name_of(std::size_t k) {
  return "hyper-hypercube:" + std::to_string(k);
}

TEST(HyperHypercube, FactorsAreTakenGreedilyAndStandInAscendingOrder) {
  EXPECT_THAT(hyper_factors(12, 2).value(), ElementsAre(2, 2, 3));
  EXPECT_THAT(hyper_factors(12, 3).value(), ElementsAre(3, 4));
  EXPECT_THAT(hyper_factors(12, 5).value(), ElementsAre(2, 6));
  EXPECT_THAT(hyper_factors(12, 100).value(), ElementsAre(12));
  EXPECT_THAT(hyper_factors(1, 1).value(), ElementsAre());
  EXPECT_FALSE(hyper_factors(12, 1).has_value());
  EXPECT_FALSE(hyper_factors(7, 5).has_value());
}

// n = 6, K = 2: rounds of factors 2 (stride 1) and 3 (stride 2).
TEST(HyperHypercube, AveragesOverOneDigitARound) {
  const auto six = make_topology({.name = name_of(2), .peers = 6});
  ASSERT_EQ(six->period(), 2U);
  EXPECT_EQ(six->row(0, 3).receives, (std::vector<Link>{{2, 0.5}}));
  EXPECT_EQ(six->row(1, 3).receives, (std::vector<Link>{{1, 1.0 / 3.0}, {5, 1.0 / 3.0}}));
}

TEST(HyperHypercube, IsExactAfterItsRoundsWithAtMostKNeighbours) {
  for (std::size_t k = 1; k <= 6; ++k) {
    for (std::size_t n = 2; n <= 72; ++n) {
      const auto factors = hyper_factors(n, k);
      if (!factors) {
        EXPECT_THROW(make_topology({.name = name_of(k), .peers = n}), ConfigError);
        continue;
      }
      const auto topology = make_topology({.name = name_of(k), .peers = n});
      const Description found = describe(*topology);
      EXPECT_EQ(found.period, factors->size());
      EXPECT_EQ(found.exact_after, factors->size()) << n;
      EXPECT_LE(found.sends_max, k) << n;
      EXPECT_TRUE(found.traits.symmetric);
      EXPECT_NEAR(found.period_norm.value(), 0.0, kRounding);
    }
  }
}

TEST(HyperHypercube, OverSomeRanksIsTheWholeOneRenumbered) {
  const std::vector<std::size_t> factors{2, 3};
  const auto six = make_topology({.name = name_of(2), .peers = 6});
  const Ranks ranks{.first = 1, .stride = 4, .count = 6};
  std::vector<Arc> arcs;
  add_hyper_round(ranks, factors, 1, arcs);
  const auto rows = rows_from_arcs(22, arcs, Complete::rows);
  for (std::size_t k = 0; k < 6; ++k) {
    const MixingRow expected = six->row(1, k);
    const MixingRow& found = rows[ranks.at(k)];
    ASSERT_EQ(found.receives.size(), expected.receives.size());
    for (std::size_t link = 0; link < expected.receives.size(); ++link) {
      EXPECT_EQ(found.receives[link].rank, ranks.at(expected.receives[link].rank));
      EXPECT_EQ(found.receives[link].weight, expected.receives[link].weight);
    }
  }
  EXPECT_TRUE(rows[2].is_idle());
}

TEST(HyperHypercube, WithoutKTakesTheLeastForN) {
  EXPECT_EQ(make_topology({.name = "hyper-hypercube", .peers = 8})->period(), 3U);
  EXPECT_EQ(make_topology({.name = "hyper-hypercube", .peers = 7})->period(), 1U);
  EXPECT_EQ(describe(*make_topology({.name = "hyper-hypercube", .peers = 20})).sends_max, 4U);
}

TEST(HyperHypercube, RefusesOtherCountsNamingTheNearestAndWhatTakesThem) {
  try {
    make_topology({.name = name_of(2), .peers = 35});
    FAIL() << "35 has a factor 7";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("found 35 with factor 7"));
    EXPECT_THAT(error.what(), HasSubstr("nearest: 32, 36"));
    EXPECT_THAT(error.what(), HasSubstr("base:2 takes any number"));
    EXPECT_THAT(error.what(), HasSubstr("K from 6 on takes 35"));
  }
}

}  // namespace
}  // namespace starling::topology
