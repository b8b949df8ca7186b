#include "starling/core/random.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"

namespace starling {

namespace {

constexpr std::size_t kDraws = 100'000;

struct Moments {
  double mean = 0.0;
  double variance = 0.0;
};

template <class Draw>
Moments moments(Draw draw) {
  std::vector<double> values(kDraws);
  std::generate(values.begin(), values.end(), draw);
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / kDraws;
  double squares = 0.0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return {mean, squares / kDraws};
}

// The published vectors of Philox4x32-10 (Random123, kat_vectors): the all-zero one, and the one of
// the digits of pi with the top bits of the counter cleared, for a position counts words, not
// blocks.
TEST(Random, IsPhilox4x32WithTenRounds) {
  Random zeros(0);
  EXPECT_EQ(zeros.next_u32(), 0x6627E8D5U);
  EXPECT_EQ(zeros.next_u32(), 0xE169C58DU);
  EXPECT_EQ(zeros.next_u32(), 0xBC57AC4CU);
  EXPECT_EQ(zeros.next_u32(), 0x9B00DBD8U);

  Random pi(Random::State{
      0x299F31D0A4093822U, 0x0370734413198A2EU, 4 * std::uint64_t{0x05A308D3243F6A88U}});
  EXPECT_EQ(pi.next_u32(), 0x2FE11A02U);
  EXPECT_EQ(pi.next_u32(), 0x572A2F27U);
  EXPECT_EQ(pi.next_u32(), 0x2F88763BU);
  EXPECT_EQ(pi.next_u32(), 0x78D5E325U);
}

TEST(Random, WideDrawsAreTwoWordsLowFirst) {
  EXPECT_EQ(Random(0).next_u64(), 0xE169C58D6627E8D5U);
}

TEST(Random, ContinuesFromItsState) {
  Random first(5, 6);
  for (int k = 0; k < 7; ++k) {
    first.next_u32();
  }
  Random second(first.state());
  EXPECT_EQ(second.state().position, 7U);
  for (int k = 0; k < 20; ++k) {
    ASSERT_EQ(first.next_u32(), second.next_u32());
  }
}

TEST(Random, KeysAndStreamsDiffer) {
  std::set<std::uint64_t> first_draws;
  for (std::uint64_t key = 0; key < 20; ++key) {
    for (std::uint64_t stream = 0; stream < 20; ++stream) {
      first_draws.insert(Random(key, stream).next_u64());
    }
  }
  EXPECT_EQ(first_draws.size(), 400U);
}

TEST(Random, BelowIsUniform) {
  Random random(1);
  std::vector<double> counts(7, 0.0);
  for (std::size_t k = 0; k < kDraws; ++k) {
    counts.at(random.below(7)) += 1.0;
  }
  const double expected = kDraws / 7.0;
  double chi_square = 0.0;
  for (const double count : counts) {
    chi_square += (count - expected) * (count - expected) / expected;
  }
  EXPECT_LT(chi_square, 22.46);  // 6 degrees of freedom, probability 0.001
}

TEST(Random, BelowKnowsItsEdges) {
  Random random(1);
  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(random.below(1), 0U);
  }
  EXPECT_THROW(random.below(0), ContractError);
  const std::uint64_t large = (1ULL << 63U) + 1;  // nearly half of all draws are rejected
  for (int k = 0; k < 100; ++k) {
    EXPECT_LT(random.below(large), large);
  }
}

// Tolerances below: five standard errors, sqrt(Var / draws) for a mean, sqrt((m4 - m2^2) / draws)
// for a variance, with the moments of the distribution.
TEST(Random, UniformHasItsMoments) {
  Random random(2);
  const Moments found = moments([&] { return random.uniform(); });
  EXPECT_NEAR(found.mean, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(found.variance, 1.0 / 12, 5 * std::sqrt(1.0 / 180 / kDraws));
}

TEST(Random, UniformStaysBelowOne) {
  Random random(3);
  for (std::size_t k = 0; k < kDraws; ++k) {
    const double value = random.uniform();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
  }
}

TEST(Random, NormalHasItsMoments) {
  Random random(4);
  const Moments found = moments([&] { return random.normal(); });
  EXPECT_NEAR(found.mean, 0.0, 5 * std::sqrt(1.0 / kDraws));
  EXPECT_NEAR(found.variance, 1.0, 5 * std::sqrt(2.0 / kDraws));
}

TEST(Random, ExponentialHasItsMoments) {
  Random random(5);
  const Moments found = moments([&] { return random.exponential(); });
  EXPECT_NEAR(found.mean, 1.0, 5 * std::sqrt(1.0 / kDraws));
  EXPECT_NEAR(found.variance, 1.0, 5 * std::sqrt(8.0 / kDraws));
}

TEST(Random, GammaHasItsMoments) {
  for (const double shape : {0.1, 0.5, 1.0, 7.5}) {
    Random random(6);
    const Moments found = moments([&] { return random.gamma(shape); });
    EXPECT_NEAR(found.mean, shape, 5 * std::sqrt(shape / kDraws)) << shape;
    const double spread = (3 * shape * shape + 6 * shape) - shape * shape;  // m4 - m2^2
    EXPECT_NEAR(found.variance, shape, 5 * std::sqrt(spread / kDraws)) << shape;
  }
  Random random(7);
  EXPECT_THROW(random.gamma(0.0), ContractError);
}

TEST(Random, BernoulliKnowsItsEdges) {
  Random random(8);
  for (int k = 0; k < 1000; ++k) {
    EXPECT_FALSE(random.bernoulli(0.0));
    EXPECT_TRUE(random.bernoulli(1.0));
  }
  const Moments found = moments([&] { return random.bernoulli(0.3) ? 1.0 : 0.0; });
  EXPECT_NEAR(found.mean, 0.3, 5 * std::sqrt(0.21 / kDraws));
}

TEST(Random, ShuffleReachesEveryOrderAlike) {
  Random random(9);
  std::vector<double> counts(6, 0.0);
  for (std::size_t k = 0; k < kDraws; ++k) {
    std::vector<int> order = {0, 1, 2};
    random.shuffle(std::span(order));
    counts.at(static_cast<std::size_t>(2 * order[0] + (order[1] > order[2] ? 1 : 0))) += 1.0;
  }
  double chi_square = 0.0;
  for (const double count : counts) {
    chi_square += (count - kDraws / 6.0) * (count - kDraws / 6.0) / (kDraws / 6.0);
  }
  EXPECT_LT(chi_square, 20.52);  // 5 degrees of freedom, probability 0.001
}

// Computed apart, from FNV-1a and SplitMix64's finaliser: checkpoints and seeds depend on these
// bits.
TEST(StreamKey, IsStableForEver) {
  EXPECT_EQ(stream_key("batches"), 0x2C6645CE0FAA6C99U);
  EXPECT_EQ(stream_key(""), 0xF52A15E9A9B5E89BU);
  EXPECT_EQ(stream_key(1, 2), 0x1C62F13BE2E5F6D3U);
  EXPECT_NE(stream_key(1, 2), stream_key(2, 1));
}

}  // namespace

}  // namespace starling
