#include "starling/topology/null_cascade.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "starling/topology/catalog.hpp"
#include "starling/topology/spectral.hpp"

namespace starling::topology {
namespace {

std::shared_ptr<const Topology> cascade(std::size_t peers) {
  return make_topology({.name = "null-cascade", .peers = peers});
}

Matrix product_of(const Matrix& a, const Matrix& b) {
  Matrix product{a.size, std::vector<double>(a.size * a.size, 0.0)};
  for (std::size_t i = 0; i < a.size; ++i) {
    for (std::size_t k = 0; k < a.size; ++k) {
      for (std::size_t j = 0; j < a.size; ++j) {
        product.entries[i * a.size + j] += a(i, k) * b(k, j);
      }
    }
  }
  return product;
}

TEST(NullCascade, IsExactForEveryNumberOfPeers) {
  for (std::size_t n = 2; n <= 119; ++n) {
    const auto topology = cascade(n);
    const Matrix product = mixing_product(*topology, 0, topology->period());
    double worst = 0.0;
    for (const double entry : product.entries) {
      worst = std::max(worst, std::abs(entry - 1.0 / static_cast<double>(n)));
    }
    EXPECT_LE(worst, 1e-12) << n;
    EXPECT_TRUE(topology->traits().row_stochastic && topology->traits().column_stochastic) << n;
  }
}

TEST(NullCascade, IsExactInAnyOrderOfItsRounds) {
  const auto topology = cascade(35);
  const std::uint64_t rounds = topology->period();
  Matrix product = mixing_matrix(*topology, rounds - 1);
  for (std::uint64_t round = rounds - 1; round > 0; --round) {
    product = product_of(mixing_matrix(*topology, round - 1), product);  // the last one first
  }
  for (const double entry : product.entries) {
    EXPECT_NEAR(entry, 1.0 / 35.0, 1e-12);
  }
}

TEST(NullCascade, RoundsCommute) {
  const auto topology = cascade(30);
  for (std::uint64_t a = 0; a < topology->period(); ++a) {
    for (std::uint64_t b = 0; b < a; ++b) {
      const Matrix first = product_of(mixing_matrix(*topology, a), mixing_matrix(*topology, b));
      const Matrix second = product_of(mixing_matrix(*topology, b), mixing_matrix(*topology, a));
      for (std::size_t k = 0; k < first.entries.size(); ++k) {
        EXPECT_NEAR(first.entries[k], second.entries[k], 1e-15);
      }
    }
  }
}

TEST(NullCascade, LengthsAreThoseOfThePage) {
  const std::vector<std::pair<std::size_t, std::uint64_t>> page{
      {2, 1}, {3, 1}, {15, 3}, {17, 8}, {30, 4}, {60, 5}};
  for (const auto& [n, length] : page) {
    EXPECT_EQ(cascade(n)->period(), length) << n;
  }
}

TEST(NullCascade, EverybodyHasTheSameDegreeOfAtMostTwo) {
  for (std::size_t n = 2; n <= 119; ++n) {
    const auto topology = cascade(n);
    for (std::uint64_t round = 0; round < topology->period(); ++round) {
      const std::size_t degree = topology->row(round, 0).receives.size();
      EXPECT_GE(degree, 1U);
      EXPECT_LE(degree, 2U);
      EXPECT_EQ(topology->row(round, n - 1).receives.size(), degree);
    }
  }
}

// n = 5: t = 1 takes m' = 2 (5/4 < 2 < 15/4), t = 2 takes m' = 1; theta = 4 pi / 5 in both.
TEST(NullCascade, WorkedExampleOfFivePeers) {
  const auto five = cascade(5);
  ASSERT_EQ(five->period(), 2U);
  const double weight = 1.0 / (2.0 - 2.0 * std::cos(4.0 * std::acos(-1.0) / 5.0));
  const MixingRow first = five->row(0, 0);
  ASSERT_EQ(first.receives.size(), 2U);
  EXPECT_EQ(first.receives[0].rank, 2U);
  EXPECT_EQ(first.receives[1].rank, 3U);
  EXPECT_NEAR(first.receives[0].weight, weight, 1e-15);
  EXPECT_EQ(five->row(1, 0).receives[0].rank, 1U);
  EXPECT_EQ(five->row(1, 0).receives[1].rank, 4U);
}

}  // namespace
}  // namespace starling::topology
