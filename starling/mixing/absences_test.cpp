#include "starling/mixing/absences.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"
#include "starling/topology/catalog.hpp"

namespace starling::mixing {
namespace {

std::vector<std::size_t> ranks_of(Absent absent) {
  return {absent.begin(), absent.end()};
}

TEST(Absences, NobodyIsAbsentWithoutARate) {
  EXPECT_TRUE(Absences().in(0).empty());
  EXPECT_TRUE(Absences(10, 5, {}).in(3).empty());
}

TEST(Absences, EverybodyIsAtRateOne) {
  const Absences all(4, 3, {.rate = 1.0});
  EXPECT_EQ(all.in(2).size(), 4U);
  EXPECT_TRUE(all.in(3).empty());  // beyond the rounds drawn
}

TEST(Absences, AreAsFrequentAsTheRate) {
  constexpr double kRate = 0.05;
  constexpr std::size_t kPeers = 200;
  constexpr std::size_t kRounds = 200;
  const Absences drawn(kPeers, kRounds, {.rate = kRate, .seed = 3});
  std::size_t total = 0;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    total += drawn.in(round).size();
  }
  // Five standard deviations of a binomial count.
  const double draws = double(kPeers) * double(kRounds);
  EXPECT_NEAR(double(total), draws * kRate, 5 * std::sqrt(draws * kRate * (1 - kRate)));
}

TEST(Absences, NoDrawDependsOnTheOthers) {
  const FailureModel model{.rate = 0.3, .seed = 8};
  const Absences few(10, 4, model);
  const Absences many(50, 9, model);
  for (std::uint64_t round = 0; round < 4; ++round) {
    auto first_ten = ranks_of(many.in(round));
    std::erase_if(first_ten, [](std::size_t rank) { return rank >= 10; });
    EXPECT_EQ(ranks_of(few.in(round)), first_ten);
  }
  EXPECT_NE(ranks_of(many.in(0)), ranks_of(many.in(1)));
  EXPECT_NE(ranks_of(many.in(0)), ranks_of(Absences(50, 9, {.rate = 0.3, .seed = 9}).in(0)));
}

TEST(Absences, ARateIsAProbability) {
  EXPECT_THROW(Absences(3, 1, {.rate = 1.5}), ContractError);
  EXPECT_THROW(Absences(3, 1, {.rate = std::nan("")}), ContractError);
}

using Matrix = std::vector<std::vector<double>>;
using RowRule = topology::MixingRow (*)(topology::MixingRow, std::size_t, Absent);

/// W without the absent, as the receivers see it; every weight received is one that is sent.
Matrix matrix_of(const topology::Topology& topology, Absent absent, RowRule rule) {
  const std::size_t n = topology.size();
  Matrix received(n, std::vector<double>(n));
  Matrix sent(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = rule(topology.row(0, i), i, absent);
    received[i][i] = sent[i][i] = row.self_weight;
    for (const topology::Link& link : row.receives) {
      received[i][link.rank] = link.weight;
    }
    for (const topology::Link& link : row.sends) {
      sent[link.rank][i] = link.weight;
    }
  }
  EXPECT_EQ(received, sent);
  return received;
}

double row_sum(const Matrix& matrix, std::size_t i) {
  double sum = 0.0;
  for (const double weight : matrix[i]) {
    sum += weight;
  }
  return sum;
}

double column_sum(const Matrix& matrix, std::size_t j) {
  double sum = 0.0;
  for (const auto& row : matrix) {
    sum += row[j];
  }
  return sum;
}

constexpr double kRounding = 1e-15;  // a handful of additions of numbers below 1
const std::vector<std::size_t> kAbsent{2, 3, 7};

TEST(RowWithout, RowsStillSumToOneAndColumnsWhereSymmetric) {
  for (const char* name : {"ring", "full", "exponential"}) {
    const auto topology = topology::make_topology({.name = name, .peers = 9});
    const Matrix matrix = matrix_of(*topology, kAbsent, row_without);
    for (std::size_t i = 0; i < 9; ++i) {
      EXPECT_NEAR(row_sum(matrix, i), 1.0, kRounding) << name;
      if (topology->traits().symmetric) {
        EXPECT_NEAR(column_sum(matrix, i), 1.0, kRounding) << name;
      }
    }
  }
}

TEST(SharesWithout, ColumnsStillSumToOne) {
  for (const char* name : {"ring", "star", "exponential"}) {
    const auto topology = topology::make_topology(
        {.name = name, .weights = "push", .peers = 9, .needs = topology::Needs::columns});
    const Matrix matrix = matrix_of(*topology, kAbsent, shares_without);
    for (std::size_t j = 0; j < 9; ++j) {
      EXPECT_NEAR(column_sum(matrix, j), 1.0, kRounding) << name;
    }
  }
}

TEST(RowWithout, TheAbsentAreIdle) {
  const auto ring = topology::make_topology({.name = "ring", .peers = 9});
  for (const RowRule rule : {row_without, shares_without}) {
    const auto row = rule(ring->row(0, 3), 3, kAbsent);
    EXPECT_TRUE(row.is_idle());
    EXPECT_EQ(row.self_weight, 1.0);
    EXPECT_EQ(rule(ring->row(0, 5), 5, kAbsent), ring->row(0, 5));
    EXPECT_EQ(rule(ring->row(0, 3), 3, {}), ring->row(0, 3));
  }
}

}  // namespace
}  // namespace starling::mixing
