#include "starling/collective/choose.hpp"

#include <gtest/gtest.h>

#include "starling/collective/catalog.hpp"
#include "starling/core/error.hpp"

namespace starling::collective {
namespace {

std::string_view for_all_reduce(std::size_t peers,
                                std::size_t bytes,
                                const Selection& selection = {}) {
  return choose({Operation::all_reduce, peers, bytes / sizeof(float)}, selection);
}

TEST(Choose, PowersOfTwoGoByTheLengthOfTheVector) {
  const auto crossing = static_cast<std::size_t>(short_vector_bytes(16, {}));
  EXPECT_EQ(for_all_reduce(16, crossing / 2), "recursive-doubling");
  EXPECT_EQ(for_all_reduce(16, crossing * 2), "halving-doubling");
  EXPECT_EQ(for_all_reduce(16, 15 * sizeof(float)), "recursive-doubling");
}

TEST(Choose, OtherNumbersOfPeersGetTheCirculant) {
  for (const std::size_t n : {3U, 5U, 6U, 7U, 12U, 33U}) {
    EXPECT_EQ(for_all_reduce(n, 64), "circulant");
    EXPECT_EQ(for_all_reduce(n, 1U << 19U), "circulant");
  }
}

TEST(Choose, LongVectorsGoRoundTheRingWhereItsRoundsAreCheap) {
  for (const std::size_t n : {3U, 4U, 5U, 8U}) {
    EXPECT_EQ(for_all_reduce(n, 64U << 20U), "ring") << n;
  }
  // 1000 ranks: 2 * (999 - 10) * 20 us of additional rounds against 2 * 0.067 s for the bytes.
  EXPECT_EQ(for_all_reduce(1000, 64U << 20U), "circulant");
  EXPECT_EQ(for_all_reduce(1024, 64U << 20U), "halving-doubling");
}

TEST(Choose, TwoPeersExchangeEverythingOnceUnlessItLeavesTheCaches) {
  for (const std::size_t bytes : {64U, 1U << 16U, 1U << 22U}) {
    EXPECT_EQ(for_all_reduce(2, bytes), "recursive-doubling");
  }
  EXPECT_EQ(for_all_reduce(2, 1U << 24U), "halving-doubling");
}

TEST(Choose, CrossingIsTheOneOfTheModel) {
  // n = 8: 3 alpha / (beta + 2 gamma); up to 4 peers 64 KiB.
  const LinkModel link{10e-6, 1e-9, 0.5e-9, 1};
  EXPECT_NEAR(short_vector_bytes(8, link), 30e-6 / 2e-9, 1e-6);
  EXPECT_EQ(short_vector_bytes(4, link), 65536.0);
}

TEST(Choose, LongBroadcastsGoInParts) {
  // n = 8, L = 3: 6 alpha + 7/4 m beta < 3 alpha + 3 m beta from m = 12/5 alpha/beta = 48 kB on.
  const auto chosen = [](std::size_t n, std::size_t bytes) {
    return choose({.operation = Operation::broadcast, .peers = n, .elements = bytes / 4}, {});
  };
  EXPECT_EQ(chosen(8, 47'000), "binomial");
  EXPECT_EQ(chosen(8, 49'000), "scatter-all-gather");
  EXPECT_EQ(chosen(2, 1U << 30U), "binomial");
}

TEST(Choose, EveryOperationHasAnAlgorithmThatOffersIt) {
  for (std::size_t k = 0; k < kOperations; ++k) {
    const auto operation = static_cast<Operation>(k);
    for (std::size_t n = 1; n <= 33; ++n) {
      for (const std::size_t elements : {0U, 1U, 1000U, 10'000'000U}) {
        EXPECT_NO_THROW((void)find_algorithm(choose({operation, n, elements}, {}), operation));
      }
    }
  }
}

TEST(Choose, MeasuredChoicesGoFirst) {
  const Selection selection{{},
                            {{Operation::all_reduce, 4, 0, "ring"},
                             {Operation::all_reduce, 4, 1 << 20, "circulant"},
                             {Operation::all_reduce, 8, 0, "circulant"}}};
  EXPECT_EQ(for_all_reduce(4, 1000, selection), "ring");
  EXPECT_EQ(for_all_reduce(4, 1 << 20, selection), "circulant");
  EXPECT_EQ(for_all_reduce(2, 1000, selection), "recursive-doubling");
}

TEST(Choose, RefusesAMeasuredChoiceThatDoesNotExist) {
  const Selection selection{{}, {{Operation::all_reduce, 4, 0, "binomial"}}};
  EXPECT_THROW((void)for_all_reduce(4, 1000, selection), ConfigError);
}

}  // namespace
}  // namespace starling::collective
