#include "starling/trainer/averaging.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "starling/core/error.hpp"
#include "starling/topology/catalog.hpp"

#include "tests/support/worlds.hpp"

namespace starling::trainer {
namespace {

using starling::testing::Kind;

AveragingSummary run(const Averaging& averaging, Kind kind = Kind::threads) {
  return average(averaging,
                 {.make_world =
                      [kind](const WorldRequest& request) {
                        return starling::testing::make_world(
                            kind, {.peers = request.peers, .seed = request.seed});
                      },
                  .virtual_time = kind == Kind::simulation});
}

double last_variance(const AveragingSummary& summary) {
  return summary.rounds.back().errors.variance;
}

/// Floats of size 1 that differ in their last digit have a variance of about 2^-48.
constexpr double kRoundingVariance = 1e-13;

TEST(Averaging, BeginsWithNormalNumbersOfEveryPeersOwn) {
  const Averaging nothing{
      .averager = {.name = "ring", .peers = 50}, .elements = 400, .rounds = 1, .failure_rate = 1.0};
  // A mean of 20,000 squares with variance 2 each: five standard deviations.
  EXPECT_NEAR(last_variance(run(nothing)), 49.0 / 50.0, 5 * std::sqrt(2.0 / 20'000));
}

TEST(Averaging, AGridIsExactAfterAsManyRoundsAsAxes) {
  const Averaging averaging{.averager = {.name = "moshpit-grid", .peers = 64, .grid = "4x4x4"},
                            .rounds = 3};
  const AveragingSummary summary = run(averaging);
  EXPECT_GT(summary.rounds[1].errors.variance, 0.01);
  EXPECT_LT(summary.rounds[2].errors.variance, kRoundingVariance);
  EXPECT_LT(summary.rounds[2].errors.distance_to_initial_mean, std::sqrt(kRoundingVariance));
  EXPECT_EQ(summary.targets[1].target, "1e-9");
  EXPECT_EQ(summary.targets[1].rounds, 3.0);
}

TEST(Averaging, ATargetNotReachedByAllHasNoNumber) {
  const Averaging averaging{.averager = {.name = "ring", .peers = 16}, .rounds = 3};
  const AveragingSummary summary = run(averaging);
  EXPECT_EQ(summary.targets[0].reached, 0U);
  EXPECT_TRUE(std::isnan(summary.targets[0].rounds));
  EXPECT_TRUE(nlohmann::json::parse(to_json(summary)).at("rounds_to").at("1e-4").is_null());
}

TEST(Averaging, OnePeerIsThereBeforeTheFirstRound) {
  for (const char* name : {"all-reduce", "moshpit-grid", "ring", "push-sum:ring"}) {
    const AveragingSummary summary = run({.averager = {.name = name}, .rounds = 2});
    EXPECT_EQ(summary.targets[1].rounds, 0.0) << name;
    EXPECT_EQ(summary.messages_per_peer, 0.0) << name;
    EXPECT_EQ(last_variance(summary), 0.0) << name;
  }
}

TEST(Averaging, CountsTheBytesOfARound) {
  const AveragingSummary summary =
      run({.averager = {.name = "ring", .peers = 5}, .elements = 10, .rounds = 4});
  for (const AveragingRoundMeans& means : summary.rounds) {
    EXPECT_EQ(means.bytes_per_peer, 2.0 * 10 * sizeof(float));
  }
  EXPECT_EQ(summary.messages_per_peer, 8.0);
}

TEST(Averaging, NobodySendsAnythingWhileAllAreAbsent) {
  for (const char* name : {"all-reduce", "ceca", "moshpit-grid", "ring", "push-sum:exponential"}) {
    const AveragingSummary summary =
        run({.averager = {.name = name, .peers = 6}, .rounds = 3, .failure_rate = 1.0});
    EXPECT_EQ(summary.messages_per_peer, 0.0) << name;
    EXPECT_GT(last_variance(summary), 0.5) << name;
  }
}

TEST(Averaging, ARepeatIsTheExperimentOfTheNextSeed) {
  const auto of = [](std::uint64_t seed, std::uint64_t repeats) {
    return run({.averager = {.name = "random-regular", .peers = 10, .seed = seed},
                .elements = 3,
                .rounds = 4,
                .failure_rate = 0.1,
                .repeats = repeats});
  };
  const AveragingSummary both = of(5, 2);
  const AveragingSummary first = of(5, 1);
  const AveragingSummary second = of(6, 1);
  for (std::size_t round = 0; round < 4; ++round) {
    EXPECT_NE(first.rounds[round].errors.variance, second.rounds[round].errors.variance);
    EXPECT_DOUBLE_EQ(
        both.rounds[round].errors.variance,
        (first.rounds[round].errors.variance + second.rounds[round].errors.variance) / 2);
    EXPECT_DOUBLE_EQ(both.rounds[round].errors.distance_to_initial_mean,
                     (first.rounds[round].errors.distance_to_initial_mean +
                      second.rounds[round].errors.distance_to_initial_mean) /
                         2);
  }
}

TEST(Averaging, TheSameNumbersInEveryWorld) {
  for (const char* name :
       {"moshpit-grid", "all-reduce", "ceca", "exponential", "push-sum:exponential"}) {
    std::string first;
    for (const Kind kind : starling::testing::all_kinds()) {
      const std::string found = to_json(run({.averager = {.name = name, .peers = 9},
                                             .elements = 11,
                                             .rounds = 12,
                                             .failure_rate = 0.05,
                                             .repeats = 2},
                                            kind));
      if (first.empty()) {
        first = found;
      }
      EXPECT_EQ(found, first) << name;
    }
  }
}

/// ||W(t-1) .. W(0) - J||_F of a topology: the expected consensus error after t rounds, since the
/// numbers averaged are independent with variance 1.
double product_norm(const std::string& name, std::size_t peers, std::uint64_t rounds) {
  const auto topology = topology::make_topology({.name = name, .peers = peers});
  std::vector<std::vector<double>> product(peers, std::vector<double>(peers));
  for (std::size_t i = 0; i < peers; ++i) {
    product[i][i] = 1.0;
  }
  for (std::uint64_t round = 0; round < rounds; ++round) {
    auto next = product;
    for (std::size_t i = 0; i < peers; ++i) {
      const topology::MixingRow row = topology->row(round, i);
      for (std::size_t k = 0; k < peers; ++k) {
        next[i][k] = row.self_weight * product[i][k];
        for (const topology::Link& link : row.receives) {
          next[i][k] += link.weight * product[link.rank][k];
        }
      }
    }
    product = std::move(next);
  }
  double sum = 0.0;
  for (const auto& row : product) {
    for (const double entry : row) {
      sum += std::pow(entry - 1.0 / static_cast<double>(peers), 2);
    }
  }
  return std::sqrt(sum);
}

/// The consensus errors of the papers are this norm, of one element.
TEST(Averaging, TheConsensusErrorIsTheNormOfTheMixing) {
  for (const char* name : {"exponential", "ring"}) {
    constexpr std::size_t kPeers = 25;
    const AveragingSummary summary =
        run({.averager = {.name = name, .peers = kPeers}, .elements = 2000, .rounds = 9});
    for (const std::uint64_t rounds : {5U, 9U}) {
      const double expected = product_norm(name, kPeers, rounds);
      // The square is a mean over 2000 elements whose relative spread is at most sqrt(2).
      EXPECT_NEAR(summary.rounds[rounds - 1].errors.consensus_error,
                  expected,
                  5 * expected * std::sqrt(0.5 / 2000))
          << name;
    }
  }
}

TEST(Averaging, TheJsonHoldsWhatWasMeasured) {
  const AveragingSummary summary =
      run({.averager = {.name = "exponential", .peers = 8}, .rounds = 4});
  const auto json = nlohmann::json::parse(to_json(summary));
  EXPECT_EQ(json.size(), 2U);
  ASSERT_EQ(json.at("rounds").size(), 4U);
  EXPECT_EQ(json.at("rounds")[3].at("round"), 4);
  EXPECT_EQ(json.at("rounds")[3].at("variance"), last_variance(summary));
  EXPECT_EQ(json.at("rounds")[3].at("bytes_per_peer"), 400.0);
  EXPECT_EQ(json.at("rounds_to").at("1e-4"), 3.0);
  EXPECT_EQ(json.at("rounds_to").at("1e-9"), 3.0);
  const auto longer = nlohmann::json::parse(to_long_json(summary));
  EXPECT_EQ(longer.at("rounds"), json.at("rounds"));
  EXPECT_EQ(longer.at("how"), "gossip over exponential");
  EXPECT_EQ(longer.at("repeats_reached").at("1e-9"), 1);
}

TEST(Averaging, TimeIsVirtualInSimulationOnly) {
  for (const Kind kind : starling::testing::all_kinds()) {
    const AveragingSummary summary =
        run({.averager = {.name = "ring", .peers = 3}, .rounds = 2}, kind);
    EXPECT_EQ(summary.virtual_seconds > 0.0, kind == Kind::simulation);
  }
}

TEST(Averaging, RefusesWhatDoesNotExistBeforeTheFirstRound) {
  EXPECT_THROW(run({.averager = {.name = "hypercube", .peers = 9}}), ConfigError);
}

}  // namespace
}  // namespace starling::trainer
