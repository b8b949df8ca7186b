// The invariants of the paper page on CECA, on the schedule alone: no transport, no gradients.
#include "starling/topology/ceca.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/random.hpp"
#include "starling/topology/catalog.hpp"

namespace starling::topology {
namespace {

using ::testing::HasSubstr;

// Ten rounds of weighted means of numbers below 5, each rounded three times.
constexpr double kRounding = 1e-12;

/// x and y of all peers, one number each.
struct Pair {
  std::vector<double> x;
  std::vector<double> y;
};

Pair normal_numbers(std::size_t peers, std::uint64_t seed) {
  Random random(seed);
  Pair pair{std::vector<double>(peers), std::vector<double>(peers)};
  for (std::size_t i = 0; i < peers; ++i) {
    pair.x[i] = random.normal();
    pair.y[i] = random.normal();
  }
  return pair;
}

/// One round for all peers.
Pair mixed(const CecaSchedule& schedule, std::size_t round, const Pair& before) {
  Pair after = before;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const CecaExchange exchange = schedule.exchange(round, i);
    const double c = exchange.sends_model ? before.x[exchange.from] : before.y[exchange.from];
    after.x[i] = (1.0 - exchange.model_share) * before.x[i] + exchange.model_share * c;
    after.y[i] = (1.0 - exchange.other_share) * before.y[i] + exchange.other_share * c;
  }
  return after;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

/// Every schedule there is for `from` .. `to` peers.
std::vector<CecaSchedule> schedules(std::size_t from, std::size_t to) {
  std::vector<CecaSchedule> all;
  for (std::size_t peers = from; peers <= to; ++peers) {
    all.emplace_back(peers, CecaPorts::two);
    if (peers % 2 == 0) {
      all.emplace_back(peers, CecaPorts::one);
    }
  }
  return all;
}

std::string name_of(const CecaSchedule& schedule) {
  return std::to_string(schedule.size()) + " peers, " +
         std::to_string(static_cast<int>(schedule.ports())) + " ports";
}

TEST(Ceca, IsExactAfterTauRoundsForEveryNumberOfPeers) {
  for (const CecaSchedule& schedule : schedules(2, 300)) {
    const std::size_t n = schedule.size();
    Pair pair = normal_numbers(n, n);
    const Pair start = pair;
    const double mean = mean_of(start.x);
    for (std::size_t round = 0; round < schedule.rounds(); ++round) {
      pair = mixed(schedule, round, pair);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double others =
          (mean * static_cast<double>(n) - start.x[i]) / static_cast<double>(n - 1);
      ASSERT_NEAR(pair.x[i], mean, kRounding) << name_of(schedule);
      ASSERT_NEAR(pair.y[i], others, kRounding) << name_of(schedule);
    }
  }
}

/// Mean of the starting numbers of the ranks first, first + 1, .. modulo n, `length` of them.
double window(const std::vector<double>& x, std::size_t first, std::size_t length) {
  double sum = 0.0;
  for (std::size_t k = 0; k < length; ++k) {
    sum += x[(first + k) % x.size()];
  }
  return sum / static_cast<double>(length);
}

TEST(Ceca, AfterEveryRoundXIsTheMeanOfItsWindowAndYOfTheWindowWithoutItself) {
  for (const CecaSchedule& schedule : schedules(2, 40)) {
    const std::size_t n = schedule.size();
    Pair pair = normal_numbers(n, n);
    const Pair start = pair;
    std::size_t m = 0;
    for (std::size_t round = 0; round < schedule.rounds(); ++round) {
      const CecaExchange exchange = schedule.exchange(round, 0);
      ASSERT_EQ(exchange.covered, m) << name_of(schedule);
      m = 2 * m + (exchange.sends_model ? 1 : 0);
      pair = mixed(schedule, round, pair);
      for (std::size_t i = 0; i < n; ++i) {
        const bool upwards = schedule.ports() == CecaPorts::one && i % 2 == 1;
        const std::size_t first = upwards ? i : i + n - m;            // i .. i+m or i-m .. i
        const std::size_t first_other = upwards ? i + 1 : i + n - m;  // the same without i
        ASSERT_NEAR(pair.x[i], window(start.x, first, m + 1), kRounding) << name_of(schedule);
        ASSERT_NEAR(pair.y[i], window(start.x, first_other, m), kRounding) << name_of(schedule);
      }
    }
    EXPECT_EQ(m, n - 1) << name_of(schedule);
  }
}

TEST(Ceca, TakesAsManyRoundsAsNMinusOneHasDigits) {
  const std::vector<std::pair<std::size_t, std::size_t>> counts{
      {1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}, {9, 4}, {130, 8}, {4096, 12}, {4097, 13}};
  for (const auto& [peers, rounds] : counts) {
    EXPECT_EQ(CecaSchedule(peers, CecaPorts::two).rounds(), rounds) << peers;
  }
}

TEST(Ceca, PartnerMapsArePermutationsWhoseTwoEndsAgree) {
  for (const CecaSchedule& schedule : schedules(2, 70)) {
    for (std::size_t round = 0; round < schedule.rounds(); ++round) {
      std::vector<bool> reached(schedule.size(), false);
      for (std::size_t i = 0; i < schedule.size(); ++i) {
        const std::size_t to = schedule.exchange(round, i).to;
        ASSERT_FALSE(reached[to]) << name_of(schedule);
        reached[to] = true;
        EXPECT_NE(to, i) << name_of(schedule);
        EXPECT_EQ(schedule.exchange(round, to).from, i) << name_of(schedule);
      }
    }
  }
}

TEST(Ceca, OnePortMapIsAnInvolutionWithoutFixedPoints) {
  for (std::size_t peers = 2; peers <= 70; peers += 2) {
    const CecaSchedule schedule(peers, CecaPorts::one);
    for (std::size_t round = 0; round < schedule.rounds(); ++round) {
      for (std::size_t i = 0; i < peers; ++i) {
        const CecaExchange exchange = schedule.exchange(round, i);
        EXPECT_EQ(exchange.to, exchange.from);
        EXPECT_NE(exchange.to, i);
        EXPECT_EQ(schedule.exchange(round, exchange.to).to, i);
      }
    }
  }
}

TEST(Ceca, MeansOfXAndYAgreeOnceARoundHasRunAndStay) {
  for (const CecaSchedule& schedule : schedules(2, 40)) {
    Pair pair = normal_numbers(schedule.size(), 3);
    const double mean = mean_of(pair.x);
    for (std::size_t round = 0; round < 3 * schedule.rounds(); ++round) {
      pair = mixed(schedule, round % schedule.rounds(), pair);
      ASSERT_NEAR(mean_of(pair.x), mean, kRounding) << name_of(schedule);
      ASSERT_NEAR(mean_of(pair.y), mean, kRounding) << name_of(schedule);
    }
  }
}

// The rows of (x, y) -> (x, y) as they are applied: shares of c and of what stays.
TEST(Ceca, EveryRowOfTheBlockMapSumsToOneWithoutNegativeWeights) {
  for (const CecaSchedule& schedule : schedules(2, 70)) {
    for (std::size_t round = 0; round < schedule.rounds(); ++round) {
      const CecaExchange exchange = schedule.exchange(round, 0);
      const double m = static_cast<double>(exchange.covered);
      const double of_x = exchange.sends_model ? 0.5 : m / (2.0 * m + 1.0);
      const double of_y = exchange.sends_model ? (m + 1.0) / (2.0 * m + 1.0) : 0.5;
      EXPECT_NEAR(exchange.model_share, of_x, 1e-15);
      EXPECT_NEAR(exchange.other_share, of_y, 1e-15);
      EXPECT_GE(exchange.model_share, 0.0);
      EXPECT_LE(exchange.other_share, 1.0);
      for (std::size_t i = 1; i < schedule.size(); ++i) {
        const CecaExchange same = schedule.exchange(round, i);
        EXPECT_EQ(same.model_share, exchange.model_share);
        EXPECT_EQ(same.other_share, exchange.other_share);
        EXPECT_EQ(same.sends_model, exchange.sends_model);
      }
    }
  }
}

TEST(Ceca, WhatYHeldBeforeACycleDoesNotMatter) {
  const CecaSchedule schedule(11, CecaPorts::two);
  Pair pair = normal_numbers(11, 4);
  Pair other{pair.x, std::vector<double>(11, 1e100)};
  for (std::size_t round = 0; round < schedule.rounds(); ++round) {
    pair = mixed(schedule, round, pair);
    other = mixed(schedule, round, other);
    EXPECT_EQ(pair.x, other.x);
    EXPECT_EQ(pair.y, other.y);
  }
}

TEST(Ceca, OnPowersOfTwoIsTheOnePeerExponentialGraph) {
  for (const std::size_t peers : {2U, 4U, 8U, 16U, 64U}) {
    const CecaSchedule schedule(peers, CecaPorts::two);
    const auto graph = make_topology({.name = "exponential", .peers = peers});
    ASSERT_EQ(schedule.rounds(), graph->period());
    for (std::size_t round = 0; round < schedule.rounds(); ++round) {
      for (std::size_t i = 0; i < peers; ++i) {
        const CecaExchange exchange = schedule.exchange(round, i);
        const MixingRow row = graph->row(round, i);
        EXPECT_TRUE(exchange.sends_model) << "y never travels";
        EXPECT_EQ(row.receives, (std::vector<Link>{{exchange.from, exchange.model_share}}));
        EXPECT_EQ(row.sends, (std::vector<Link>{{exchange.to, exchange.model_share}}));
      }
    }
  }
}

// n = 6, 5 = 101 in binary: x from i-1; y from i-1, x <- (2x+c)/3; x from i-3, y <- (2y+3c)/5.
TEST(Ceca, WorkedExampleOfSixPeers) {
  const CecaSchedule two(6, CecaPorts::two);
  ASSERT_EQ(two.rounds(), 3U);
  const std::size_t distances[] = {1, 1, 3};
  const bool digits[] = {true, false, true};
  for (std::size_t round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < 6; ++i) {
      const CecaExchange exchange = two.exchange(round, i);
      EXPECT_EQ(exchange.from, (i + 6 - distances[round]) % 6);
      EXPECT_EQ(exchange.to, (i + distances[round]) % 6);
      EXPECT_EQ(exchange.sends_model, digits[round]);
    }
  }
  EXPECT_EQ(two.exchange(0, 0).other_share, 1.0) << "y becomes what comes";
  EXPECT_NEAR(two.exchange(1, 0).model_share, 1.0 / 3.0, 1e-15);
  EXPECT_EQ(two.exchange(2, 0).model_share, 0.5);
  EXPECT_NEAR(two.exchange(2, 0).other_share, 3.0 / 5.0, 1e-15);

  const CecaSchedule one(6, CecaPorts::one);
  const std::vector<std::vector<std::pair<std::size_t, std::size_t>>> pairs{
      {{1, 2}, {3, 4}, {5, 0}}, {{1, 4}, {3, 0}, {5, 2}}, {{1, 0}, {3, 2}, {5, 4}}};
  for (std::size_t round = 0; round < 3; ++round) {
    for (const auto& [a, b] : pairs[round]) {
      EXPECT_EQ(one.exchange(round, a).to, b);
      EXPECT_EQ(one.exchange(round, b).to, a);
    }
  }
}

TEST(Ceca, OnePortRefusesOddNumbersAndNamesWhatTakesThem) {
  try {
    CecaSchedule(7, CecaPorts::one);
    FAIL() << "7 peers were paired";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("found 7"));
    EXPECT_THAT(error.what(), HasSubstr("--ports 2"));
    EXPECT_THAT(error.what(), HasSubstr("--topology base:1"));
    EXPECT_THAT(error.what(), HasSubstr("nearest with 1 port: 6, 8"));
  }
  EXPECT_EQ(CecaSchedule(1, CecaPorts::one).rounds(), 0U);
}

TEST(Ceca, RefusesRoundsAndRanksThatAreNotThere) {
  const CecaSchedule schedule(5, CecaPorts::two);
  EXPECT_THROW((void)schedule.exchange(3, 0), ContractError);
  EXPECT_THROW((void)schedule.exchange(0, 5), ContractError);
  EXPECT_THROW(CecaSchedule(0, CecaPorts::two), ContractError);
}

}  // namespace
}  // namespace starling::topology
