// Every algorithm of the catalog, proved for n = 1 .. 33 and 64, and counted as its formulas say.
#include <gtest/gtest.h>

#include "starling/collective/catalog.hpp"
#include "starling/collective/checker.hpp"
#include "starling/core/error.hpp"

namespace starling::collective {
namespace {

std::vector<std::size_t> all_sizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t n = 1; n <= 33; ++n) {
    sizes.push_back(n);
  }
  sizes.push_back(64);
  return sizes;
}

class EveryAlgorithm : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryAlgorithm, IsProvedByTheChecker) {
  const std::size_t n = GetParam();
  for (const CatalogEntry& algorithm : catalog()) {
    for (std::size_t k = 0; k < kOperations; ++k) {
      const auto operation = static_cast<Operation>(k);
      if (algorithm.build(operation) == nullptr) {
        continue;
      }
      const bool rooted = operation == Operation::broadcast || operation == Operation::reduce ||
                          operation == Operation::scatter || operation == Operation::gather;
      for (std::size_t root = 0; root < (rooted ? n : 1); ++root) {
        const Request request{.operation = operation, .peers = n, .root = root, .elements = 1003};
        const Verdict verdict = check(request, schedules_of(algorithm, request));
        EXPECT_EQ(verdict.flaw, std::nullopt)
            << algorithm.name << " " << to_string(operation) << " n=" << n << " root=" << root;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, EveryAlgorithm, ::testing::ValuesIn(all_sizes()));

Verdict all_reduce_of(const char* name, std::size_t n, std::size_t elements) {
  const Request request{.peers = n, .elements = elements};
  return check(request, schedules_of(*find_algorithm(name, Operation::all_reduce).entry, request));
}

TEST(Counts, RingSendsTwoNMinusOneMessagesOfOneBlock) {
  for (const std::size_t n : all_sizes()) {
    for (const Traffic& sent : all_reduce_of("ring", n, 5 * n).sent) {
      EXPECT_EQ(sent, (Traffic{2 * (n - 1), 2 * (n - 1), 10 * (n - 1)})) << n;
    }
  }
}

TEST(Counts, CirculantSendsTheLeastInFewestRoundsForAnyN) {
  for (const std::size_t n : all_sizes()) {
    for (const Traffic& sent : all_reduce_of("circulant", n, 5 * n).sent) {
      EXPECT_EQ(sent, (Traffic{2 * ceil_log2(n), 2 * (n - 1), 10 * (n - 1)})) << n;
    }
  }
}

TEST(Counts, PowersOfTwoNeedNoFolding) {
  for (const std::size_t n : {1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
    for (const Traffic& sent : all_reduce_of("halving-doubling", n, 5 * n).sent) {
      EXPECT_EQ(sent, (Traffic{2 * ceil_log2(n), 2 * (n - 1), 10 * (n - 1)})) << n;
    }
    for (const Traffic& sent : all_reduce_of("recursive-doubling", n, 5 * n).sent) {
      EXPECT_EQ(sent, (Traffic{ceil_log2(n), ceil_log2(n), 5 * n * ceil_log2(n)})) << n;
    }
  }
}

TEST(Counts, BinomialTreeSendsTheVectorOnceToEveryOther) {
  for (const std::size_t n : all_sizes()) {
    const auto* algorithm = find_algorithm("binomial", Operation::broadcast).entry;
    const Request request{
        .operation = Operation::broadcast, .peers = n, .root = n / 2, .elements = 7};
    const Verdict verdict = check(request, schedules_of(*algorithm, request));
    std::size_t messages = 0;
    for (const Traffic& sent : verdict.sent) {
      messages += sent.messages;
      EXPECT_LE(sent.messages, ceil_log2(n));
      EXPECT_EQ(sent.elements, 7 * sent.messages);
    }
    EXPECT_EQ(messages, n - 1);
  }
}

TEST(Schedules, ReversalRefusesAdditions) {
  const auto* ring = find_algorithm("ring", Operation::reduce_scatter).entry;
  const Schedule schedule =
      make_schedule(*ring, {.operation = Operation::reduce_scatter, .peers = 3});
  EXPECT_THROW((void)reversed(schedule), ContractError);
}

TEST(Schedules, JoinRefusesOtherShapes) {
  EXPECT_THROW((void)joined(make_schedule(3, 0, 3), make_schedule(3, 0, 2)), ContractError);
  EXPECT_THROW((void)joined(make_schedule(3, 0, 3), make_schedule(3, 1, 3)), ContractError);
}

TEST(Catalog, NamesTheNearest) {
  try {
    (void)find_algorithm("rnig", Operation::all_reduce);
    FAIL() << "an unknown name was taken";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "collective: no algorithm is called 'rnig'; did you mean 'ring'?");
  }
}

TEST(Catalog, RefusesAnOperationItDoesNotHave) {
  try {
    (void)find_algorithm("binomial", Operation::all_reduce);
    FAIL() << "a broadcast was taken for an all-reduce";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "collective: 'binomial' offers broadcast, reduce, not all-reduce; one of: ring, "
                 "recursive-doubling, halving-doubling, circulant");
  }
}

}  // namespace
}  // namespace starling::collective
