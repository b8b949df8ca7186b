#include "starling/mixing/weighted_mean.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"

#include "tests/support/worlds.hpp"

namespace starling::mixing {
namespace {

using starling::testing::Kind;

struct Member {
  float value = 0.0F;
  double weight = 0.0;
};

/// The weighted mean as every member sees it; nothing if there were no samples.
std::vector<std::optional<float>> mean_of(const std::vector<Member>& members, double nominal) {
  std::vector<std::optional<float>> results(members.size());
  const auto world = starling::testing::make_world(Kind::threads, {.peers = members.size()});
  world
      ->run([&](Peer& peer) {
        const Group group = Group::everyone(peer);
        const Member& mine = members[group.rank()];
        collective::Collective collective(group);
        std::vector<float> values{mine.value, 0.0F};
        std::vector<float> means(2);
        if (weighted_mean(collective,
                          values,
                          means,
                          {mine.weight, nominal},
                          {.deadline = peer.clock().in(std::chrono::seconds(20))})) {
          results[group.rank()] = means[0];
        }
        EXPECT_TRUE(values[0] == mine.value || std::isnan(mine.value));  // kept
      })
      .or_throw();
  return results;
}

TEST(WeightedMean, AllZeroWeightsGiveNothing) {
  for (const auto& result : mean_of({{1.0F, 0.0}, {2.0F, 0.0}}, 5.0)) {
    EXPECT_FALSE(result);
  }
}

TEST(WeightedMean, ZeroWeightLeavesTheOtherExactly) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const double weight : {1e-300, 1e-46, 0.3, 5.0, 7.0, 32.0, 33.0, 1e38, 1e300}) {
    for (const float value : {1.0F / 3.0F, 0.3F, 0.1F, -7.7e-3F}) {
      for (const auto& result : mean_of({{nan, 0.0}, {value, weight}}, 32.0)) {
        EXPECT_EQ(result, value) << weight;
      }
    }
  }
}

TEST(WeightedMean, NegativeWeightIsRefused) {
  EXPECT_THROW(mean_of({{1.0F, -1.0}, {2.0F, 5.0}}, 5.0), ContractError);
}

TEST(WeightedMean, NoWeightIsTooLargeOrTooSmall) {
  for (const double weight : {1e-300, 1e-46, 1e-30, 1.0, 1e38, 3e38, 1e300}) {
    for (const double nominal : {1.0, 32.0, 1e300}) {
      for (const auto& result : mean_of({{0.25F, weight}, {0.75F, weight}}, nominal)) {
        EXPECT_EQ(result, 0.5F) << weight << " of " << nominal;
      }
    }
  }
}

TEST(WeightedMean, TheLargerOfUnequalWeightsDecides) {
  for (const auto& result : mean_of({{1.0F, 1e300}, {3.0F, 1e-300}, {5.0F, 3e300}}, 8.0)) {
    EXPECT_FLOAT_EQ(*result, 4.0F);
  }
}

TEST(WeightedMean, WeighsBySamples) {
  for (const auto& result : mean_of({{1.0F, 8.0}, {4.0F, 4.0}}, 8.0)) {
    EXPECT_EQ(result, 2.0F);
  }
}

TEST(WeightedMean, NominalWeightsGiveThePlainMeanForAnyN) {
  for (std::size_t n = 1; n <= 9; ++n) {
    std::vector<Member> members(n);
    for (std::size_t i = 0; i < n; ++i) {
      members[i] = {static_cast<float>(i + 1), 32.0};
    }
    for (const auto& result : mean_of(members, 32.0)) {
      ASSERT_TRUE(result);
      EXPECT_FLOAT_EQ(*result, (static_cast<float>(n) + 1.0F) / 2.0F);
    }
  }
}

}  // namespace
}  // namespace starling::mixing
