// How far from the optimum noise keeps each method once it has settled: what gossip, local steps
// and exact averages are worth, in the order the Gossip-PGA paper gives (arXiv:2105.09080).
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/span_math.hpp"

#include "tests/support/training.hpp"

namespace starling::algorithm {
namespace {

using starling::testing::Bowl;
using starling::testing::Kind;
using starling::testing::random_bowls;
using starling::testing::train;
using starling::testing::TrainingOptions;

constexpr std::size_t kPeers = 20;
constexpr std::size_t kDimension = 10;
constexpr std::uint64_t kPeriod = 16;
/// 1 / learning rate: 100 gives the rows at 0.01 in docs/models.md.
constexpr std::uint64_t kStepsPerUnit = 10;
constexpr float kRate = 1.0F / static_cast<float>(kStepsPerUnit);
constexpr std::uint64_t kLength = kPeriod * kStepsPerUnit / 10;
constexpr std::uint64_t kSettled = 6 * kLength;            // 0.9^96: the start is forgotten
constexpr std::uint64_t kSteps = kSettled + 20 * kLength;  // whole periods are averaged

/// Mean of ||x_i - x*||^2 over peers and settled steps; x* = 0, the mean of the centres.
double steady_distance(const std::string& algorithm,
                       const AlgorithmOptions& options,
                       const std::vector<Bowl>& bowls) {
  const std::vector<float> optimum(kDimension);
  std::vector<double> sums(kPeers);
  TrainingOptions training{.algorithm = algorithm,
                           .options = options,
                           .bowls = bowls,
                           .steps = kSteps,
                           .learning_rate = kRate};
  training.after_step = [&](Replica& replica, Algorithm&) {
    if (replica.steps_done() > kSettled) {
      sums[replica.group().rank()] += squared_distance(replica.parameters(), optimum);
    }
  };
  train(Kind::threads, training).report.or_throw();
  double sum = 0.0;
  for (const double of_peer : sums) {
    sum += of_peer;
  }
  return sum / static_cast<double>(kPeers * (kSteps - kSettled));
}

struct Steady {
  double parallel = 0.0;
  double pga = 0.0;
  double gossip = 0.0;
  double local = 0.0;
};

/// f_i = 1/2 ||x - b_i||^2, gradient noise N(0, I), a ring of 20, lr 0.1, H = 16.
Steady steady(const std::vector<Bowl>& bowls) {
  return {.parallel = steady_distance("allreduce-sgd", {}, bowls),
          .pga = steady_distance("gossip-pga", {.topology = "ring", .period = kPeriod}, bowls),
          .gossip = steady_distance("dsgd", {.topology = "ring"}, bowls),
          .local = steady_distance("local-sgd", {.period = kPeriod}, bowls)};
}

/// Other draws of the centres than the paper page's move its figures by 20 to 30 %. What was found
/// stands in the output of --gtest_output=json:FILE.
void expect_about(double found, double figure, const char* what) {
  ::testing::Test::RecordProperty(what, std::to_string(found));
  EXPECT_GT(found, figure / 1.6) << what;
  EXPECT_LT(found, figure * 1.6) << what;
}

void expect_the_order_of_the_paper(const Steady& found) {
  EXPECT_LT(found.parallel, found.pga);
  EXPECT_LT(found.pga, found.gossip);
  EXPECT_LT(found.pga, found.local);
}

TEST(SteadyState, OfUnequalPeersIsBestParallelThenPgaThenGossip) {
  const Steady found = steady(random_bowls(kPeers, kDimension, 1.0F));
  expect_the_order_of_the_paper(found);
  expect_about(found.parallel, 0.026, "parallel");
  expect_about(found.pga, 0.45, "gossip-pga");
  expect_about(found.gossip, 0.89, "gossip");
  expect_about(found.local, 3.2, "local");
}

TEST(SteadyState, OfEqualPeersKeepsTheOrder) {
  const std::vector<Bowl> bowls(kPeers, {.centre = std::vector<float>(kDimension), .noise = 1.0F});
  const Steady found = steady(bowls);
  expect_the_order_of_the_paper(found);
  expect_about(found.parallel, 0.026, "parallel");
  expect_about(found.pga, 0.087, "gossip-pga");
  expect_about(found.gossip, 0.101, "gossip");
  expect_about(found.local, 0.37, "local");
}

}  // namespace
}  // namespace starling::algorithm
