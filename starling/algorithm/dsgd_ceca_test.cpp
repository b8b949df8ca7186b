#include "starling/algorithm/dsgd_ceca.hpp"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/topology/ceca.hpp"

#include "tests/support/training.hpp"

namespace starling::algorithm {
namespace {

using starling::testing::Bowl;
using starling::testing::Kind;
using starling::testing::random_bowls;
using starling::testing::train;
using starling::testing::TrainingOptions;
using starling::testing::TrainingResult;

using Models = std::vector<std::vector<float>>;

/// Ports that exist for `peers`.
std::vector<std::uint64_t> ports_for(std::size_t peers) {
  return peers % 2 == 0 || peers == 1 ? std::vector<std::uint64_t>{1, 2}
                                      : std::vector<std::uint64_t>{2};
}

TrainingOptions options_for(std::size_t peers, std::uint64_t ports) {
  return {.algorithm = "dsgd-ceca",
          .options = {.ports = ports},
          .bowls = random_bowls(peers, 7, 0.2F),
          .steps = 13,
          .optimizer = "momentum"};
}

TrainingResult trained(const TrainingOptions& options, Kind kind = Kind::threads) {
  TrainingResult result = train(kind, options);
  result.report.or_throw();
  return result;
}

TEST(DsgdCeca, SameBitsOnThreadsAndInSimulationForEveryNumberOfPeers) {
  for (std::size_t peers = 1; peers <= 9; ++peers) {
    for (const std::uint64_t ports : ports_for(peers)) {
      const TrainingOptions options = options_for(peers, ports);
      const Models first = trained(options).models;
      for (const Kind kind : starling::testing::all_kinds()) {
        EXPECT_EQ(trained(options, kind).models, first)
            << to_string(kind) << ", " << peers << " peers, " << ports << " ports";
      }
    }
  }
}

TEST(DsgdCeca, OnPowersOfTwoIsDsgdOnTheExponentialGraphBitForBit) {
  for (const std::size_t peers : {2U, 4U, 8U}) {
    const TrainingOptions options = options_for(peers, 2);
    TrainingOptions dsgd = options;
    dsgd.algorithm = "dsgd";
    dsgd.options = {.topology = "exponential"};
    EXPECT_EQ(trained(options).models, trained(dsgd).models) << peers;
  }
}

/// Gradients are zero; where a cycle ends every model is set to its rank, and another cycle
/// follows.
TEST(DsgdCeca, WithoutGradientsEndsACycleAtTheExactMean) {
  for (std::size_t peers = 2; peers <= 9; ++peers) {
    for (const std::uint64_t ports : ports_for(peers)) {
      const std::size_t tau = topology::CecaSchedule(peers, topology::CecaPorts::two).rounds();
      TrainingOptions options = options_for(peers, ports);
      options.bowls = std::vector<Bowl>(peers, {.centre = {0.0F}, .curvature = 0.0F});
      options.optimizer = "sgd";
      options.steps = 2 * tau;
      options.after_step = [tau](Replica& replica, Algorithm&) {
        if (replica.steps_done() == tau) {  // a cycle ends: y is about to be made anew
          replica.parameters()[0] = static_cast<float>(replica.group().rank());
        }
      };
      for (const auto& model : trained(options).models) {
        EXPECT_NEAR(model[0], static_cast<double>(peers - 1) / 2.0, 4e-6) << peers;
      }
    }
  }
}

/// The recursion of the page, serially and in double, for quadratic losses without noise.
TEST(DsgdCeca, FollowsTheSerialRecursionWithGradientsAtWhatIsSent) {
  constexpr double kRate = 0.1;
  for (const std::size_t peers : {3U, 5U, 6U, 7U}) {
    for (const std::uint64_t ports : ports_for(peers)) {
      std::vector<Bowl> bowls = random_bowls(peers, 1, 0.0F);
      for (std::size_t i = 0; i < peers; ++i) {
        bowls[i].curvature = 0.5F + 0.25F * static_cast<float>(i);
      }
      const TrainingResult result = trained({.algorithm = "dsgd-ceca",
                                             .options = {.ports = ports},
                                             .bowls = bowls,
                                             .steps = 14,
                                             .learning_rate = static_cast<float>(kRate),
                                             .weight_decay = 0.1F});
      const topology::CecaSchedule schedule(peers, static_cast<topology::CecaPorts>(ports));
      Random initial(7, stream_key("initial model"));
      std::vector<double> x(peers, double{static_cast<float>(initial.normal())});
      std::vector<double> y = x;
      for (std::size_t t = 0; t < 14; ++t) {
        const std::size_t round = t % schedule.rounds();
        for (std::size_t i = 0; i < peers; ++i) {
          const double u = schedule.exchange(round, i).sends_model ? x[i] : y[i];
          const double gradient =
              double{bowls[i].curvature} * (u - double{bowls[i].centre[0]}) + 0.1 * u;
          x[i] -= kRate * gradient;
          y[i] -= kRate * gradient;
        }
        const std::vector<double> old_x = x;
        const std::vector<double> old_y = y;
        for (std::size_t i = 0; i < peers; ++i) {
          const topology::CecaExchange exchange = schedule.exchange(round, i);
          const double c = exchange.sends_model ? old_x[exchange.from] : old_y[exchange.from];
          x[i] += exchange.model_share * (c - x[i]);
          y[i] += exchange.other_share * (c - y[i]);
        }
      }
      for (std::size_t i = 0; i < peers; ++i) {
        EXPECT_NEAR(result.models[i][0], x[i], 2e-5);  // 14 steps of floats near 1
      }
    }
  }
}

TEST(DsgdCeca, SendsOneModelAStepAndNothingElse) {
  for (std::size_t peers = 2; peers <= 9; ++peers) {
    for (const std::uint64_t ports : ports_for(peers)) {
      const TrainingResult result = trained(options_for(peers, ports));
      for (const PeerOutcome& outcome : result.report.peers) {
        EXPECT_EQ(outcome.meter.messages_sent, 13U);
        EXPECT_EQ(outcome.meter.payload_bytes_sent, 13U * 7U * sizeof(float));
      }
    }
  }
}

TEST(DsgdCeca, ASkippedStepIsAsIfItHadNotBeen) {
  // Five peers, a cycle of three rounds: if the skipped steps counted as rounds the rest would be
  // another schedule.
  TrainingOptions options = options_for(5, 2);
  options.bowls = random_bowls(5, 4, 0.0F);
  options.not_finite = NotFinite::skip_round;
  const Models whole = trained(options).models;
  options.steps += 2;
  options.faulty = 3;
  options.faults = {{4, std::numeric_limits<float>::quiet_NaN()},
                    {5, std::numeric_limits<float>::infinity()}};
  EXPECT_EQ(trained(options).models, whole);
}

TEST(DsgdCeca, StateIsTheRoundOfTheCycleAndTheOtherModel) {
  TrainingOptions options = options_for(6, 2);
  options.after_step = [](Replica& replica, Algorithm& algorithm) {
    ASSERT_EQ(algorithm.scalars().size(), 1U);
    EXPECT_EQ(algorithm.scalars()[0].value, static_cast<double>(replica.steps_done() % 3));
    ASSERT_EQ(algorithm.vectors().size(), 1U);
    EXPECT_EQ(algorithm.vectors()[0].values.size(), replica.size());
  };
  trained(options);
}

TEST(DsgdCeca, OnePortIsRefusedForOddNumbersBeforeAnythingRuns) {
  const Entry& entry = find_algorithm("dsgd-ceca");
  EXPECT_THROW(make_mixing(entry, {.ports = 1}, 5, 1), ConfigError);
  EXPECT_EQ(make_mixing(entry, {.ports = 1}, 6, 1), nullptr);
  EXPECT_EQ(make_mixing(entry, {.ports = 1}, 1, 1), nullptr);
  EXPECT_EQ(make_mixing(entry, {.ports = 2}, 5, 1), nullptr);
  try {
    make_mixing(entry, {.ports = 3}, 5, 1);
    FAIL() << "3 ports";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("expected 1 or 2, found 3"));
  }
}

}  // namespace
}  // namespace starling::algorithm
