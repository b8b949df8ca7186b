// Where the papers say that two methods coincide, they do.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include <gtest/gtest.h>

#include "starling/core/span_math.hpp"

#include "tests/support/training.hpp"

namespace starling::algorithm {
namespace {

using starling::testing::Bowl;
using starling::testing::Kind;
using starling::testing::mean_of;
using starling::testing::random_bowls;
using starling::testing::train;
using starling::testing::TrainingOptions;

using Models = std::vector<std::vector<float>>;

Models run(const std::string& algorithm,
           const AlgorithmOptions& options,
           std::size_t peers,
           const std::string& optimizer = "sgd") {
  auto result = train(Kind::threads,
                      {.algorithm = algorithm,
                       .options = options,
                       .bowls = random_bowls(peers, 7, 0.2F),
                       .steps = 15,
                       .optimizer = optimizer});
  result.report.or_throw();
  return result.models;
}

/// Fifteen steps of lr 0.1 on numbers below 4; each averaging rounds at most n + 2 times.
void expect_equal_to_rounding(const Models& a, const Models& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t rank = 0; rank < a.size(); ++rank) {
    for (std::size_t k = 0; k < a[rank].size(); ++k) {
      EXPECT_NEAR(a[rank][k], b[rank][k], 2e-5);
    }
  }
}

TEST(Agreement, FullGraphAllreduceAndPeriodOneCoincide) {
  for (const std::size_t peers : {2U, 3U, 4U, 7U, 9U}) {
    const Models exact = run("allreduce-sgd", {}, peers);
    expect_equal_to_rounding(run("dsgd", {.topology = "full"}, peers), exact);
    expect_equal_to_rounding(run("gossip-pga", {.topology = "ring", .period = 1}, peers), exact);
    expect_equal_to_rounding(run("gossip-pga", {.topology = "full", .period = 5}, peers), exact);
    expect_equal_to_rounding(run("local-sgd", {.topology = "full", .period = 1}, peers), exact);
    expect_equal_to_rounding(run("sgp", {.topology = "full"}, peers), exact);
  }
}

TEST(Agreement, SgpOnASymmetricTopologyIsDsgd) {
  for (const char* topology : {"ring", "hypercube", "static-exponential"}) {
    expect_equal_to_rounding(run("sgp", {.topology = topology}, 8, "momentum"),
                             run("dsgd", {.topology = topology}, 8, "momentum"));
  }
}

TEST(Agreement, GossipPgaWithoutGlobalAverageIsDsgdBitForBit) {
  EXPECT_EQ(run("gossip-pga", {.topology = "ring", .period = 1000}, 5),
            run("dsgd", {.topology = "ring"}, 5));
}

TEST(Agreement, LocalSgdOverATopologyEveryStepIsDsgdBitForBit) {
  EXPECT_EQ(run("local-sgd", {.topology = "exponential", .period = 1}, 6),
            run("dsgd", {.topology = "exponential"}, 6));
}

TEST(AllreduceSgd, PeersStayBitwiseEqual) {
  for (std::size_t peers = 1; peers <= 9; ++peers) {
    const Models models = run("allreduce-sgd", {}, peers, "adam");
    for (const auto& model : models) {
      EXPECT_EQ(model, models[0]);
    }
  }
}

TEST(GossipPga, ModelsAreBitEqualAfterAGlobalAverage) {
  std::mutex mutex;
  std::map<std::uint64_t, Models> by_step;
  TrainingOptions options{.algorithm = "gossip-pga",
                          .options = {.topology = "ring", .period = 4},
                          .bowls = random_bowls(6, 5, 0.3F),
                          .steps = 8};
  options.after_step = [&](Replica& replica, Algorithm&) {
    const std::lock_guard lock(mutex);
    Models& models = by_step[replica.steps_done()];
    models.resize(6);
    const auto x = replica.parameters();
    models[replica.group().rank()] = {x.begin(), x.end()};
  };
  train(Kind::threads, options).report.or_throw();
  for (const std::uint64_t step : {4U, 8U}) {
    for (const auto& model : by_step[step]) {
      EXPECT_EQ(model, by_step[step][0]) << step;
    }
  }
  EXPECT_NE(by_step[3][0], by_step[3][1]);
}

TEST(GossipPga, IsDsgdBitForBitBetweenItsGlobalRounds) {
  // On a topology that is another one in every round: dsgd is set to the models after each global
  // average and must come to the same ones until the next.
  constexpr std::size_t kPeers = 6;
  constexpr std::uint64_t kPeriod = 5;  // the three offsets of six peers, and not a multiple of 3
  constexpr std::uint64_t kSteps = 4 * kPeriod;
  std::vector<Models> by_rank(kPeers, Models(kSteps + 1));
  TrainingOptions options{.algorithm = "gossip-pga",
                          .options = {.topology = "exponential", .period = kPeriod},
                          .bowls = random_bowls(kPeers, 5, 0.3F),
                          .steps = kSteps,
                          .optimizer = "momentum"};
  options.after_step = [&](Replica& replica, Algorithm&) {
    const auto x = replica.parameters();
    by_rank[replica.group().rank()][replica.steps_done()] = {x.begin(), x.end()};
  };
  train(Kind::threads, options).report.or_throw();

  options.algorithm = "dsgd";
  options.options.period = 0;
  options.after_step = [&](Replica& replica, Algorithm&) {
    const std::uint64_t step = replica.steps_done();
    const std::vector<float>& expected = by_rank[replica.group().rank()][step];
    if (step % kPeriod == 0) {
      copy(expected, replica.parameters());
    } else {
      EXPECT_TRUE(std::ranges::equal(replica.parameters(), expected)) << "step " << step;
    }
  };
  train(Kind::threads, options).report.or_throw();
}

TEST(GossipPga, BytesOverOnePeriod) {
  // (H-1) degree d + 2 d (n-1)/n floats, n = 4, ring (degree 2), H = 4, d = 12.
  const auto result = train(Kind::threads,
                            {.algorithm = "gossip-pga",
                             .options = {.topology = "ring", .collective = "ring", .period = 4},
                             .bowls = random_bowls(4, 12, 0.0F),
                             .steps = 4});
  result.report.or_throw();
  for (const PeerOutcome& outcome : result.report.peers) {
    EXPECT_EQ(outcome.meter.payload_bytes_sent, (3U * 2U * 12U + 2U * 12U * 3U / 4U) * 4U);
  }
}

TEST(LocalSgd, ConvergesToTheKnownPointOfUnequalBowls) {
  // Right after averaging, x -> sum (1-r_i) b_i / sum (1-r_i) with r_i = (1 - lr a_i)^H.
  const std::vector<Bowl> bowls{{.centre = {1.0F}, .curvature = 1.0F},
                                {.centre = {-2.0F}, .curvature = 4.0F},
                                {.centre = {5.0F}, .curvature = 0.5F}};
  constexpr double kRate = 0.1;
  constexpr std::uint64_t kPeriod = 5;
  const auto result = train(Kind::threads,
                            {.algorithm = "local-sgd",
                             .options = {.period = kPeriod},
                             .bowls = bowls,
                             .steps = 40 * kPeriod,
                             .learning_rate = static_cast<float>(kRate)});
  result.report.or_throw();
  double above = 0.0;
  double below = 0.0;
  for (const Bowl& bowl : bowls) {
    const double r = std::pow(1.0 - kRate * double{bowl.curvature}, double{kPeriod});
    above += (1.0 - r) * double{bowl.centre[0]};
    below += 1.0 - r;
  }
  for (const auto& model : result.models) {
    EXPECT_NEAR(model[0], above / below, 1e-5);
  }
}

TEST(Dsgd, FixedPointOfAdaptThenCombine) {
  // (I - W (I - lr A)) X = lr W A B with A = I: along eigenvector v of W with eigenvalue l the
  // offset is lr l / (1 - (1 - lr) l) times the coefficient of B. Ring of 4: B = (1, -1, 1, -1) has
  // l = -1/3.
  std::vector<Bowl> bowls;
  for (const float b : {1.0F, -1.0F, 1.0F, -1.0F}) {
    bowls.push_back({.centre = {b}});
  }
  const auto result = train(Kind::threads,
                            {.algorithm = "dsgd",
                             .options = {.topology = "ring"},
                             .bowls = bowls,
                             .steps = 200,
                             .learning_rate = 0.1F});
  result.report.or_throw();
  const double l = -1.0 / 3.0;
  const double offset = 0.1 * l / (1.0 - 0.9 * l);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_NEAR(result.models[rank][0], offset * double{bowls[rank].centre[0]}, 1e-6);
  }
}

TEST(Dsgd, FixedPointOfCombineWhileComputing) {
  // x = W x - lr (x - B): along v, x = lr / (1 - l + lr) b.
  std::vector<Bowl> bowls;
  for (const float b : {1.0F, -1.0F, 1.0F, -1.0F}) {
    bowls.push_back({.centre = {b}});
  }
  const auto result =
      train(Kind::threads,
            {.algorithm = "dsgd",
             .options = {.topology = "ring", .order = Order::combine_while_computing},
             .bowls = bowls,
             .steps = 200,
             .learning_rate = 0.1F});
  result.report.or_throw();
  const double offset = 0.1 / (1.0 + 1.0 / 3.0 + 0.1);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_NEAR(result.models[rank][0], offset * double{bowls[rank].centre[0]}, 1e-6);
  }
}

TEST(Dsgd, TheTwoOrdersDifferButShareTheMean) {
  const Models first = run("dsgd", {.topology = "ring"}, 5);
  const Models second =
      run("dsgd", {.topology = "ring", .order = Order::combine_while_computing}, 5);
  EXPECT_NE(first, second);
  const auto mean_first = mean_of(first);
  const auto mean_second = mean_of(second);
  // The noise is the same and the curvature is 1 everywhere, so the means agree to rounding.
  for (std::size_t k = 0; k < mean_first.size(); ++k) {
    EXPECT_NEAR(mean_first[k], mean_second[k], 2e-5);
  }
}

TEST(Dsgd, ASkippedStepIsAsIfItHadNotBeen) {
  // Without noise, on a graph that is the same in every round, two steps that all skip cost two
  // steps and nothing else: no bit of the model, no momentum, no message that a later round finds.
  for (const Order order : {Order::adapt_then_combine, Order::combine_while_computing}) {
    TrainingOptions options{.algorithm = "dsgd",
                            .options = {.topology = "ring", .order = order},
                            .bowls = random_bowls(5, 4, 0.0F),
                            .steps = 13,
                            .optimizer = "momentum",
                            .not_finite = NotFinite::skip_round};
    const auto whole = train(Kind::threads, options);
    whole.report.or_throw();
    options.steps += 2;
    options.faulty = 3;
    options.faults = {{4, std::numeric_limits<float>::quiet_NaN()},
                      {5, std::numeric_limits<float>::infinity()}};
    const auto skipping = train(Kind::threads, options);
    skipping.report.or_throw();
    EXPECT_EQ(skipping.models, whole.models) << to_string(order);
  }
}

TEST(Sgp, KeepsTotalWeightOnAnIrregularDigraph) {
  const auto result = train(Kind::threads,
                            {.algorithm = "sgp",
                             .options = {.topology = "star", .weights = "push"},
                             .bowls = random_bowls(7, 3, 0.1F),
                             .steps = 30});
  result.report.or_throw();
  double total = 0.0;
  for (const auto& scalars : result.scalars) {
    total += scalars.at(0);
  }
  EXPECT_NEAR(total, 7.0, 1e-12);
  EXPECT_NE(result.scalars[0][0], 1.0);
}

/// On irregular graphs w drifts away from 1, so a gradient or a decay at x, a step on z or a lost
/// share shows.
void expect_the_serial_recursion_of_sgp(const AlgorithmOptions& options, double decay) {
  constexpr std::size_t kPeers = 5;
  constexpr double kRate = 0.1;
  const std::vector<Bowl> bowls = random_bowls(kPeers, 1, 0.0F);
  const auto result = train(Kind::threads,
                            {.algorithm = "sgp",
                             .options = options,
                             .bowls = bowls,
                             .steps = 12,
                             .learning_rate = static_cast<float>(kRate),
                             .weight_decay = static_cast<float>(decay)});
  result.report.or_throw();

  const auto topology = make_mixing(find_algorithm("sgp"), options, kPeers, 7);
  Random initial(7, stream_key("initial model"));
  std::vector<double> x(kPeers, double{static_cast<float>(initial.normal())});
  std::vector<double> w(kPeers, 1.0);
  for (std::uint64_t k = 0; k < 12; ++k) {
    std::vector<double> pushed_x(kPeers);
    std::vector<double> pushed_w(kPeers);
    for (std::size_t i = 0; i < kPeers; ++i) {
      const double z = x[i] / w[i];
      x[i] -= kRate * (z - double{bowls[i].centre[0]} + decay * z);
      const topology::MixingRow row = topology->row(k, i);
      pushed_x[i] += row.self_weight * x[i];
      pushed_w[i] += row.self_weight * w[i];
      for (const topology::Link& link : row.sends) {
        pushed_x[link.rank] += link.weight * x[i];
        pushed_w[link.rank] += link.weight * w[i];
      }
    }
    x = pushed_x;
    w = pushed_w;
  }
  for (std::size_t i = 0; i < kPeers; ++i) {
    EXPECT_NEAR(result.scalars[i][0], w[i], 1e-12);
    EXPECT_NEAR(result.models[i][0], x[i] / w[i], 2e-5);  // 12 steps of floats near 1
  }
}

TEST(Sgp, FollowsTheSerialRecursionWithGradientsAtZ) {
  expect_the_serial_recursion_of_sgp({.topology = "star", .weights = "push"}, 0.0);
}

TEST(Sgp, WalksThroughTheRoundsOfTheTopology) {
  // Offsets 1, 2, 4 in turn: the row of one round for all of them is another recursion.
  expect_the_serial_recursion_of_sgp({.topology = "exponential"}, 0.0);
}

TEST(Sgp, TakesWeightDecayAtZ) {
  expect_the_serial_recursion_of_sgp({.topology = "star", .weights = "push"}, 0.5);
}

TEST(Sgp, RunsOnADirectedFileWithoutWeightsAsItStands) {
  expect_the_serial_recursion_of_sgp(
      {.topology = "file:" STARLING_SOURCE_DIR "/examples/topology/one-way.edges"}, 0.5);
}

TEST(LocalSgd, LocalRoundsSendNothingAndAveragesTheBytesOfTheirRound) {
  // dsgd-unified, item 9: degree d floats in a round with neighbours (ring: 2 d), 2 d (n-1)/n in an
  // exact one by ring all-reduce, nothing in between. n = 4, d = 12, H = 3.
  constexpr std::uint64_t kPeriod = 3;

  struct Case {
    AlgorithmOptions options;
    std::uint64_t bytes_of_average;
  };

  for (const Case& trial :
       {Case{{.topology = "ring", .period = kPeriod}, 2U * 12U * 4U},
        Case{{.topology = "full", .collective = "ring", .period = kPeriod}, 2U * 9U * 4U}}) {
    std::vector<std::vector<std::uint64_t>> sent(4);
    TrainingOptions options{.algorithm = "local-sgd",
                            .options = trial.options,
                            .bowls = random_bowls(4, 12, 0.1F),
                            .steps = 7};
    options.after_step = [&](Replica& replica, Algorithm&) {
      sent[replica.group().rank()].push_back(replica.peer().meter().payload_bytes_sent);
    };
    train(Kind::threads, options).report.or_throw();
    const std::uint64_t once = trial.bytes_of_average;
    for (const auto& after : sent) {
      EXPECT_EQ(after, (std::vector<std::uint64_t>{0, 0, once, once, once, 2 * once, 2 * once}))
          << trial.options.topology;
    }
  }
}

TEST(LocalSgd, AveragingsWalkThroughTheRoundsOfTheTopology) {
  // Curvature 0: no local step moves anything. Three averagings, H = 3 apart, with the three
  // offsets of the one-peer exponential graph of 8 are exact; the same offset three times is not.
  std::vector<Bowl> bowls(8, {.centre = {0.0F}, .curvature = 0.0F});
  TrainingOptions options{.algorithm = "local-sgd",
                          .options = {.topology = "exponential", .period = 3},
                          .bowls = bowls,
                          .steps = 9};
  options.after_step = [](Replica& replica, Algorithm&) {
    if (replica.steps_done() == 1) {  // before the first averaging: ranks, which are exact in float
      replica.parameters()[0] = static_cast<float>(replica.group().rank());
    }
  };
  const auto result = train(Kind::threads, options);
  result.report.or_throw();
  for (const auto& model : result.models) {
    EXPECT_EQ(model[0], 3.5F);
  }
}

}  // namespace
}  // namespace starling::algorithm
