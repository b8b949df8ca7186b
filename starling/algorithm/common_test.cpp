// Laws that hold for every algorithm of the registry.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
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
using starling::testing::TrainingResult;

/// An algorithm of the registry, once for every order it can work in.
struct Variant {
  std::string algorithm;
  Order order = Order::adapt_then_combine;

  AlgorithmOptions options() const { return {.order = order}; }

  friend void PrintTo(const Variant& variant, std::ostream* out) {
    *out << variant.algorithm << ' ' << to_string(variant.order);
  }
};

std::vector<Variant> variants() {
  std::vector<Variant> variants;
  for (const Entry& entry : registry()) {
    variants.push_back({entry.name});
    const auto& options = entry.options;
    if (std::find(options.begin(), options.end(), "order") != options.end()) {
      variants.push_back({entry.name, Order::combine_while_computing});
    }
  }
  return variants;
}

class EveryAlgorithm : public ::testing::TestWithParam<Variant> {};

std::string test_name(const ::testing::TestParamInfo<Variant>& info) {
  std::string name = info.param.algorithm;
  if (info.param.order != Order::adapt_then_combine) {
    name += std::string("-") + to_string(info.param.order);
  }
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, EveryAlgorithm, ::testing::ValuesIn(variants()), test_name);

TEST(Registry, BothOrdersOfDsgdAreVariants) {
  const auto all = variants();
  EXPECT_EQ(all.size(), registry().size() + 1);
}

TEST_P(EveryAlgorithm, OnePeerIsPlainSgdBitForBit) {
  const Bowl bowl{.centre = {1.0F, -2.0F, 0.3F}, .curvature = 0.7F, .noise = 0.5F};
  const TrainingResult alone = train(Kind::threads,
                                     {.algorithm = GetParam().algorithm,
                                      .options = GetParam().options(),
                                      .bowls = {bowl},
                                      .steps = 20,
                                      .learning_rate = 0.1F});
  alone.report.or_throw();

  Random initial(7, stream_key("initial model"));
  Random noise(stream_key(7, 0), stream_key("gradient"));
  std::vector<float> x(3);
  for (float& value : x) {
    value = static_cast<float>(initial.normal());
  }
  for (int step = 0; step < 20; ++step) {
    for (std::size_t k = 0; k < 3; ++k) {
      float gradient = bowl.curvature * (x[k] - bowl.centre[k]);
      gradient += bowl.noise * static_cast<float>(noise.normal());
      x[k] += -0.1F * gradient;
    }
  }
  EXPECT_EQ(alone.models[0], x);
  EXPECT_EQ(alone.report.peers[0].meter.messages_sent, 0U);
}

TEST_P(EveryAlgorithm, SameBitsOnThreadsAndInSimulation) {
  for (std::size_t peers = 1; peers <= 9; ++peers) {
    TrainingOptions options{.algorithm = GetParam().algorithm,
                            .options = GetParam().options(),
                            .bowls = random_bowls(peers, 33, 0.3F),
                            .steps = 12,
                            .optimizer = "momentum"};
    options.options.period = 4;
    if (GetParam().algorithm == "allreduce-sgd") {
      options.options.period = 0;
    }
    std::vector<std::vector<float>> first;
    for (const Kind kind : starling::testing::all_kinds()) {
      const TrainingResult result = train(kind, options);
      result.report.or_throw();
      if (first.empty()) {
        first = result.models;
      }
      EXPECT_EQ(result.models, first) << to_string(kind) << ", " << peers << " peers";
    }
  }
}

TEST_P(EveryAlgorithm, MeanMovesByTheMeanGradientOnly) {
  // mean(x(k+1)) = mean(x(k)) - lr mean(g): for equal curvatures c and centred b the mean of the
  // models is x(0) (1 - lr c)^k whatever the communication does.
  for (std::size_t peers = 1; peers <= 9; ++peers) {
    const TrainingResult result = train(Kind::threads,
                                        {.algorithm = GetParam().algorithm,
                                         .options = GetParam().options(),
                                         .bowls = random_bowls(peers, 5, 0.0F),
                                         .steps = 16,
                                         .learning_rate = 0.1F});
    result.report.or_throw();
    Random initial(7, stream_key("initial model"));
    const std::vector<double> mean = mean_of(result.models);
    for (const double value : mean) {
      const double expected = initial.normal() * std::pow(0.9, 16);
      EXPECT_NEAR(value, expected, 1e-5)
          << peers << " peers";  // 16 rounded steps of numbers near 1
    }
  }
}

TEST_P(EveryAlgorithm, EveryStepTakesItsOwnLearningRate) {
  // Curvature 1 and centred b: the mean of the models is x(0) prod_s (1 - lr(s)). Warm-up over W
  // steps, (s+1)/W of the rate, then half a cosine to 0 at the end of T.
  constexpr std::uint64_t kSteps = 16;
  constexpr std::uint64_t kWarmup = 5;
  constexpr double kRate = 0.3;
  double left = 1.0;
  for (std::uint64_t s = 0; s < kSteps; ++s) {
    const double t = s < kWarmup ? 0.0 : double(s - kWarmup) / double(kSteps - kWarmup);
    const double warmth = s < kWarmup ? double(s + 1) / double(kWarmup) : 1.0;
    left *= 1.0 - kRate * warmth * (1.0 + std::cos(std::numbers::pi * t)) / 2.0;
  }
  for (const std::size_t peers : {1U, 4U, 5U}) {
    const TrainingResult result =
        train(Kind::threads,
              {.algorithm = GetParam().algorithm,
               .options = GetParam().options(),
               .bowls = random_bowls(peers, 5, 0.0F),
               .steps = kSteps,
               .learning_rate = static_cast<float>(kRate),
               .schedule = {.schedule = "cosine", .total_steps = kSteps, .warmup_steps = kWarmup}});
    result.report.or_throw();
    Random initial(7, stream_key("initial model"));
    for (const double value : mean_of(result.models)) {
      // 16 rounded steps of numbers near 1; a rate of the step before or after moves it by 5 %
      EXPECT_NEAR(value, initial.normal() * left, 1e-5) << peers << " peers";
    }
  }
}

/// Keeps the rejected contributions of a run.
class Rejections : public Observer {
 public:
  void on_event(const Event& event) override {
    if (const auto* rejected = std::get_if<ContributionRejected>(&event.what)) {
      const std::lock_guard lock(mutex_);
      seen_.push_back(*rejected);
    }
  }

  std::vector<ContributionRejected> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<ContributionRejected> seen_;
};

TrainingOptions poisoned(const Variant& variant, NotFinite policy, Observer* observer) {
  return {.algorithm = variant.algorithm,
          .options = variant.options(),
          .bowls = random_bowls(8, 6, 0.1F),
          .steps = 40,
          .optimizer = "momentum",
          .not_finite = policy,
          .faults = {{7, std::numeric_limits<float>::quiet_NaN()},
                     {9, std::numeric_limits<float>::infinity()}},
          .faulty = 5,
          .observer = observer};
}

TEST_P(EveryAlgorithm, SkipPeerCountsTwoRejectionsAndStaysFinite) {
  Rejections rejections;
  const TrainingResult result =
      train(Kind::threads, poisoned(GetParam(), NotFinite::skip_peer, &rejections));
  result.report.or_throw();
  ASSERT_EQ(rejections.seen().size(), 2U);
  for (const ContributionRejected& rejected : rejections.seen()) {
    EXPECT_EQ(rejected.contributor, PeerId{5});
    EXPECT_EQ(rejected.tensor, "x");
  }
  for (const auto& model : result.models) {
    EXPECT_TRUE(is_finite(model));
  }
}

TEST_P(EveryAlgorithm, SkipRoundLeavesEverybodyUnchanged) {
  TrainingOptions options = poisoned(GetParam(), NotFinite::skip_round, nullptr);
  std::mutex mutex;
  std::map<std::pair<std::size_t, std::uint64_t>, std::vector<float>> after;
  options.after_step = [&](Replica& replica, Algorithm&) {
    const std::lock_guard lock(mutex);
    const auto x = replica.parameters();
    after[{replica.group().rank(), replica.steps_done()}] = {x.begin(), x.end()};
  };
  train(Kind::threads, options).report.or_throw();
  for (std::size_t rank = 0; rank < 8; ++rank) {
    EXPECT_EQ((after[{rank, 8}]), (after[{rank, 7}]));  // step 7 changed nothing
    EXPECT_NE((after[{rank, 9}]), (after[{rank, 8}]));
    EXPECT_EQ((after[{rank, 10}]), (after[{rank, 9}]));  // nor did step 9
    EXPECT_TRUE(is_finite(after[{rank, 40}]));
  }
}

TEST(Replica, AModelThatIsNotFiniteIsLeftOutByPeerAndTensor) {
  // Not a gradient but the model itself: it is seen again where models meet.
  for (const char* algorithm : {"dsgd", "sgp"}) {
    Rejections rejections;
    TrainingOptions options = poisoned({algorithm}, NotFinite::skip_peer, &rejections);
    options.faults.clear();
    options.after_step = [](Replica& replica, Algorithm&) {
      if (replica.steps_done() == 7 && replica.group().rank() == 5) {
        replica.parameters()[3] = std::numeric_limits<float>::quiet_NaN();
      }
    };
    const TrainingResult result = train(Kind::threads, options);
    result.report.or_throw();
    ASSERT_EQ(rejections.seen().size(), 2U) << algorithm;  // its gradient, then the model
    for (const ContributionRejected& rejected : rejections.seen()) {
      EXPECT_EQ(rejected.contributor, PeerId{5}) << algorithm;
      EXPECT_EQ(rejected.tensor, "x") << algorithm;
    }
    for (const auto& model : result.models) {
      EXPECT_TRUE(is_finite(model)) << algorithm;
    }
  }
}

/// One step of eight peers, then an exact average. x - 2 (x - b) = 2 b - x, with b the rank: peer
/// 5, whose b is 3e38, has a finite gradient and a model that overflows.
TrainingOptions overflown(const std::string& algorithm, NotFinite policy, Observer* observer) {
  TrainingOptions options{.algorithm = algorithm,
                          .options = {.period = 1},
                          .steps = 1,
                          .learning_rate = 2.0F,
                          .not_finite = policy,
                          .observer = observer};
  for (const float b : {0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 3e38F, 6.0F, 7.0F}) {
    options.bowls.push_back({.centre = {b}});
  }
  return options;
}

TEST(Replica, AModelThatIsNotFiniteIsLeftOutOfExactAverages) {
  const double start = Random(7, stream_key("initial model")).normal();
  for (const char* algorithm : {"gossip-pga", "local-sgd"}) {
    Rejections rejections;
    const TrainingResult result =
        train(Kind::threads, overflown(algorithm, NotFinite::skip_peer, &rejections));
    result.report.or_throw();
    ASSERT_EQ(rejections.seen().size(), 1U) << algorithm;
    EXPECT_EQ(rejections.seen()[0].contributor, PeerId{5}) << algorithm;
    EXPECT_EQ(rejections.seen()[0].tensor, "x") << algorithm;
    for (const auto& model : result.models) {
      // The mean of the seven others, whose ranks add up to 23; floats below 16.
      EXPECT_NEAR(model[0], 2.0 * 23.0 / 7.0 - start, 1e-5) << algorithm;
    }
  }
}

TEST(Replica, AModelThatIsNotFiniteStopsExactAveragesUnderTheOtherPolicies) {
  for (const char* algorithm : {"gossip-pga", "local-sgd"}) {
    for (const NotFinite policy : {NotFinite::stop, NotFinite::skip_round}) {
      const TrainingResult result = train(Kind::threads, overflown(algorithm, policy, nullptr));
      ASSERT_EQ(result.report.culprit, 5U) << algorithm;
      try {
        std::rethrow_exception(result.report.peers[5].error);
      } catch (const NotFiniteError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("the model is not finite in x"));
      }
    }
  }
}

TEST_P(EveryAlgorithm, StopNamesPeerStepAndTensorEverywhere) {
  const TrainingResult result =
      train(Kind::threads, poisoned(GetParam(), NotFinite::stop, nullptr));
  ASSERT_EQ(result.report.culprit, 5U);
  for (const PeerOutcome& outcome : result.report.peers) {
    if (!outcome.error) {
      continue;
    }  // it had finished what it owed the others
    try {
      std::rethrow_exception(outcome.error);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::not_finite) << error.what();
      EXPECT_THAT(error.what(), ::testing::HasSubstr("step 7"));
      EXPECT_THAT(error.what(), ::testing::HasSubstr("gradient of x"));
    }
  }
}

TEST(Registry, UnknownNameGetsTheNearest) {
  try {
    find_algorithm("gosip-pga");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("did you mean 'gossip-pga'?"));
  }
}

TEST(Registry, OptionsThatWouldPlayNoPartAreRefused) {
  const Entry& local = find_algorithm("local-sgd");
  EXPECT_THROW(make_mixing(local, {.topology = "full", .weights = "lazy"}, 4, 1), ConfigError);
  EXPECT_THROW(make_mixing(local, {.topology = "ring", .collective = "ring"}, 4, 1), ConfigError);
  EXPECT_EQ(make_mixing(local, {.topology = "full", .collective = "ring"}, 4, 1), nullptr);
}

TEST(Registry, ADirectedFileWithoutWeightsIsPushedOverBySgpAndRefusedForDsgd) {
  AlgorithmOptions options{.topology =
                               "file:" STARLING_SOURCE_DIR "/examples/topology/one-way.edges"};
  EXPECT_THROW(make_mixing(find_algorithm("dsgd"), options, 5, 1), ConfigError);
  const auto by_itself = make_mixing(find_algorithm("sgp"), options, 5, 1);
  options.weights = "push";
  const auto as_told = make_mixing(find_algorithm("sgp"), options, 5, 1);
  for (std::size_t rank = 0; rank < 5; ++rank) {
    EXPECT_EQ(by_itself->row(0, rank), as_told->row(0, rank));
  }
}

TEST(Registry, AsymmetricRowsAreRefusedForDsgdAndFineForSgp) {
  AlgorithmOptions options{.topology = "star", .weights = "push"};
  EXPECT_THROW(make_mixing(find_algorithm("dsgd"), options, 5, 1), ConfigError);
  EXPECT_NE(make_mixing(find_algorithm("sgp"), options, 5, 1), nullptr);
}

}  // namespace
}  // namespace starling::algorithm
