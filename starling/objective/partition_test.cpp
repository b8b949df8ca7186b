#include "starling/objective/partition.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/objective/dense_dataset.hpp"
#include "starling/objective/synthetic.hpp"

namespace starling::objective {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// `samples` samples of ten classes in turn, without features worth naming.
DenseDataset ten_classes(std::size_t samples) {
  DenseDataset::Contents contents{.name = "test", .sample_shape = {1}, .classes = 10};
  contents.features.assign(samples, 0.0F);
  for (std::size_t k = 0; k < samples; ++k) {
    contents.labels.push_back(static_cast<std::uint32_t>(k % 10));
  }
  return DenseDataset(std::move(contents));
}

void expect_disjoint_cover(const Partition& partition, std::size_t samples) {
  std::vector<std::uint32_t> all;
  for (const auto& shard : partition) {
    all.insert(all.end(), shard.begin(), shard.end());
  }
  std::sort(all.begin(), all.end());
  std::vector<std::uint32_t> expected(samples);
  std::iota(expected.begin(), expected.end(), std::uint32_t{0});
  EXPECT_EQ(all, expected);
}

std::string refusal(const Dataset& data, const PartitionOptions& options) {
  try {
    make_partition(data, options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

class EveryScheme : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryScheme, IsADisjointCoverForAnyNumberOfPeersAndSamples) {
  for (const std::size_t samples : {0U, 1U, 7U, 100U, 999U}) {
    const DenseDataset data = ten_classes(samples);
    for (std::size_t peers = 1; peers <= 9; ++peers) {
      if (samples < 3 && std::string(GetParam()) == "shards:3") {
        continue;
      }  // refused, see below
      const Partition partition = make_partition(data, {.scheme = GetParam(), .peers = peers});
      EXPECT_EQ(partition.size(), peers);
      expect_disjoint_cover(partition, samples);
    }
  }
}

TEST_P(EveryScheme, DependsOnTheSeedAndOnNothingElse) {
  const DenseDataset data = ten_classes(500);
  const PartitionOptions options{.scheme = GetParam(), .peers = 5, .seed = 3};
  EXPECT_EQ(make_partition(data, options), make_partition(data, options));
  EXPECT_NE(make_partition(data, options),
            make_partition(data, {.scheme = GetParam(), .peers = 5, .seed = 4}));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    EveryScheme,
    ::testing::Values("iid", "dirichlet:0.01", "dirichlet:0.3", "dirichlet:1000", "shards:3"));

TEST(Partition, IidShardsDifferByAtMostOneSample) {
  const Partition partition = make_partition(ten_classes(858), {.peers = 4});
  EXPECT_EQ(partition[0].size(), 215U);
  EXPECT_EQ(partition[3].size(), 214U);
}

std::size_t classes_of(const Dataset& data, const std::vector<std::uint32_t>& shard) {
  std::set<std::uint32_t> classes;
  for (const std::uint32_t sample : shard) {
    classes.insert(data.label(sample));
  }
  return classes.size();
}

// 10 peers, 2 pieces of 50 samples each, 100 samples a class: a piece lies within one class.
TEST(Partition, ShardsGiveAPeerAtMostAsManyClassesAsPieces) {
  const DenseDataset data = ten_classes(1000);
  for (const auto& shard : make_partition(data, {.scheme = "shards:2", .peers = 10})) {
    EXPECT_EQ(shard.size(), 100U);
    EXPECT_LE(classes_of(data, shard), 2U);
  }
}

/// Mean over peers of the largest share a class has in the peer's shard: 0.1 without skew, 1 at
/// most.
double skew(const Dataset& data, const Partition& partition) {
  double total = 0.0;
  double peers = 0.0;
  for (const auto& shard : partition) {
    if (shard.empty()) {
      continue;
    }
    std::vector<std::size_t> counts(data.classes());
    for (const std::uint32_t sample : shard) {
      ++counts[data.label(sample)];
    }
    total += static_cast<double>(*std::max_element(counts.begin(), counts.end())) /
             static_cast<double>(shard.size());
    peers += 1.0;
  }
  return total / peers;
}

TEST(Partition, ASmallerAlphaSkewsLabelsMore) {
  const DenseDataset data = ten_classes(10'000);
  const auto skew_of = [&](const char* scheme) {
    return skew(data, make_partition(data, {.scheme = scheme, .peers = 10}));
  };
  // alpha = 1000: shares of 0.1 with standard deviation sqrt(0.1 * 0.9 / 10001) = 0.003; the
  // largest of ten lies within four of them. alpha = 0.01: a class goes almost whole to one peer.
  EXPECT_NEAR(skew_of("dirichlet:1000"), 0.1, 0.012);
  EXPECT_GT(skew_of("dirichlet:0.3"), 0.25);
  EXPECT_GT(skew_of("dirichlet:0.01"), 0.5);
}

TEST(Partition, DirichletSharesHaveTheRightMeanAndVariance) {
  // Dirichlet(a, a) over two peers: the first share is Beta(a, a), mean 1/2, variance 1 / (4 (2a +
  // 1)).
  const DenseDataset data = ten_classes(1000);
  const double alpha = 0.5;
  double sum = 0.0;
  double squares = 0.0;
  constexpr int kSeeds = 400;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Partition partition = make_partition(
        data, {.scheme = "dirichlet:0.5", .peers = 2, .seed = static_cast<std::uint64_t>(seed)});
    std::vector<double> shares(10, 0.0);
    for (const std::uint32_t sample : partition[0]) {
      shares[data.label(sample)] += 0.01;
    }
    for (const double share : shares) {
      sum += share;
      squares += (share - 0.5) * (share - 0.5);
    }
  }
  constexpr double kDraws = kSeeds * 10;
  const double variance = 1.0 / (4.0 * (2.0 * alpha + 1.0));
  EXPECT_NEAR(sum / kDraws, 0.5, 4.0 * std::sqrt(variance / kDraws));
  // The fourth central moment of Beta(1/2, 1/2) is 3/128, so the variance has error sqrt((3/128 -
  // 1/64) / N).
  EXPECT_NEAR(squares / kDraws, variance, 4.0 * std::sqrt((3.0 / 128 - 1.0 / 64) / kDraws));
}

// 64 peers at alpha = 0.01 leave most peers without a sample, and that is legal here.
TEST(Partition, EmptyShardsAreLegal) {
  const Partition partition =
      make_partition(ten_classes(1000), {.scheme = "dirichlet:0.01", .peers = 64});
  expect_disjoint_cover(partition, 1000);
  EXPECT_TRUE(
      std::any_of(partition.begin(), partition.end(), [](const auto& s) { return s.empty(); }));
}

TEST(Partition, FractionsAreKept) {
  const DenseDataset data = ten_classes(1000);
  const Partition partition = make_partition(data, {.scheme = "fractions:0.5,0.3,0.2", .peers = 3});
  expect_disjoint_cover(partition, 1000);
  EXPECT_EQ(partition[0].size(), 500U);
  EXPECT_EQ(partition[1].size(), 300U);
  EXPECT_EQ(partition[2].size(), 200U);
}

TEST(Partition, FractionsThatDoNotSumToOneAreRefusedWithTheirSum) {
  const DenseDataset data = ten_classes(10);
  EXPECT_THAT(refusal(data, {.scheme = "fractions:0.5,0.3,0.3", .peers = 3}),
              AllOf(HasSubstr("sum to 1.1"), HasSubstr("fractions:0.5,0.3,0.3")));
  EXPECT_THAT(refusal(data, {.scheme = "fractions:0.33,0.33,0.33", .peers = 3}),
              HasSubstr("sum to 0.99"));
}

TEST(Partition, OwnGivesEachPeerWhatWasDrawnForIt) {
  const DataPair pair =
      draw_synthetic_logistic({.dimension = 2, .samples = 5, .test_samples = 1, .peers = 3});
  const Partition partition = make_partition(*pair.train, {.scheme = "own", .peers = 3});
  expect_disjoint_cover(partition, 15);
  EXPECT_EQ(partition[1], (std::vector<std::uint32_t>{5, 6, 7, 8, 9}));
}

TEST(Partition, RefusesWhatMakesNoSense) {
  const DenseDataset data = ten_classes(10);
  EXPECT_THAT(refusal(data, {.scheme = "shard:2", .peers = 2}),
              HasSubstr("did you mean 'shards'?"));
  EXPECT_THAT(refusal(data, {.scheme = "iid:3", .peers = 2}), HasSubstr("no argument '3'"));
  EXPECT_THAT(refusal(data, {.scheme = "dirichlet", .peers = 2}), HasSubstr("ALPHA is missing"));
  EXPECT_THAT(refusal(data, {.scheme = "dirichlet:0", .peers = 2}), HasSubstr("ALPHA is '0'"));
  EXPECT_THAT(refusal(data, {.scheme = "dirichlet:nan", .peers = 2}), HasSubstr("ALPHA is 'nan'"));
  EXPECT_THAT(refusal(data, {.scheme = "shards:0", .peers = 2}), HasSubstr("K is '0'"));
  EXPECT_THAT(refusal(data, {.scheme = "shards:1.5", .peers = 2}), HasSubstr("whole number"));
  EXPECT_THAT(refusal(data, {.scheme = "shards:11", .peers = 2}), HasSubstr("at most 10"));
  EXPECT_THAT(refusal(data, {.scheme = "fractions:0.5,0.5", .peers = 3}),
              HasSubstr("2 shares for 3 peers"));
  EXPECT_THAT(refusal(data, {.scheme = "fractions:1.5,-0.5", .peers = 2}),
              HasSubstr("a share is '1.5'"));
  EXPECT_THAT(refusal(data, {.scheme = "own", .peers = 2}), HasSubstr("one set for all peers"));
}

}  // namespace
}  // namespace starling::objective
