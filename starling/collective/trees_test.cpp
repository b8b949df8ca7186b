// Pipelined trees: their shapes, their counts and their times.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "starling/collective/catalog.hpp"
#include "starling/collective/checker.hpp"
#include "starling/collective/cost.hpp"
#include "starling/collective/double_tree.hpp"
#include "starling/collective/segments.hpp"

namespace starling::collective {
namespace {

constexpr std::size_t kTrees = DoubleTree::kTrees;

Request broadcast_of(std::size_t n, std::size_t elements) {
  return {.operation = Operation::broadcast, .peers = n, .root = n / 2, .elements = elements};
}

TEST(Segments, AreAtMostSoLongAndAtLeastOne) {
  EXPECT_EQ(segments_of(0, 4), 1U);
  EXPECT_EQ(segments_of(8, 4), 2U);
  EXPECT_EQ(segments_of(9, 4), 3U);
  EXPECT_EQ(segments_of(1000, 0), 1U);
}

TEST(DoubleTree, ParentsAndChildrenAgree) {
  for (std::size_t n = 1; n <= 300; ++n) {
    const DoubleTree trees(n, DoubleTree::Second::of_all);
    for (std::size_t tree = 0; tree < kTrees; ++tree) {
      std::size_t edges = 0;
      EXPECT_EQ(trees.parent(tree, trees.root(tree)), std::nullopt);
      for (std::size_t rank = 0; rank < n; ++rank) {
        for (const std::size_t child : trees.children(tree, rank)) {
          EXPECT_EQ(trees.parent(tree, child), rank) << n << " " << tree;
          ++edges;
        }
      }
      EXPECT_EQ(edges, n - 1);
    }
  }
}

TEST(DoubleTree, ARankIsAParentInOneTreeOnlyAndHasThreeChildrenAtMost) {
  for (std::size_t n = 2; n <= 300; ++n) {
    const DoubleTree trees(n, DoubleTree::Second::of_all);
    for (std::size_t rank = 0; rank < n; ++rank) {
      const std::size_t first = trees.children(0, rank).size();
      const std::size_t second = trees.children(1, rank).size();
      EXPECT_LE(first + second, 3U);
      if (first > 0 && second > 0) {
        EXPECT_TRUE(n % 2 == 1 && rank == 0) << n << " " << rank;
        EXPECT_EQ(first, 1U);
        EXPECT_EQ(second, 1U);
      }
    }
  }
}

TEST(DoubleTree, IsNoDeeperThanTheLogarithmPlusOne) {
  for (std::size_t n = 1; n <= 300; ++n) {
    const DoubleTree trees(n, DoubleTree::Second::of_all);
    for (std::size_t tree = 0; tree < kTrees; ++tree) {
      for (std::size_t rank = 0; rank < n; ++rank) {
        std::size_t depth = 0;
        for (auto above = trees.parent(tree, rank); above; above = trees.parent(tree, *above)) {
          ++depth;
        }
        EXPECT_LE(depth, floor_log2(n) + 1) << n;
      }
    }
  }
}

TEST(DoubleTree, BelowOneRootNobodyElseIsAParentInBoth) {
  for (std::size_t n = 2; n <= 300; ++n) {
    const DoubleTree trees(n, DoubleTree::Second::below_root);
    std::size_t edges = 0;
    for (std::size_t rank = 0; rank < n; ++rank) {
      const std::size_t first = trees.children(0, rank).size();
      const std::size_t second = trees.children(1, rank).size();
      EXPECT_TRUE(rank == 0 ? first == 1 && second == 1 : first == 0 || second == 0) << n;
      for (std::size_t tree = 0; tree < kTrees; ++tree) {
        for (const std::size_t child : trees.children(tree, rank)) {
          EXPECT_EQ(trees.parent(tree, child), rank);
          ++edges;
        }
      }
    }
    EXPECT_EQ(edges, 2 * (n - 1));
  }
}

TEST(DoubleTree, InARoundEverybodySendsAndReceivesOneMessage) {
  for (const std::size_t n : {2U, 3U, 4U, 7U, 8U, 12U, 15U, 16U, 33U, 64U}) {
    for (const auto operation : {Operation::all_reduce, Operation::broadcast, Operation::reduce}) {
      const Request request{
          .operation = operation, .peers = n, .root = 0, .elements = 960, .segment = 60};
      for (const Schedule& schedule :
           schedules_of(*find_algorithm("double-tree", operation).entry, request)) {
        std::map<std::pair<std::size_t, bool>, std::size_t> messages;  // by round and direction
        for (const Lane& lane : schedule.lanes) {
          for (std::size_t round = 0; round < lane.rounds(); ++round) {
            for (const Transfer& each : lane.round(round)) {
              EXPECT_EQ((++messages[{round, each.action == Action::send}]), 1U) << n;
            }
          }
        }
      }
    }
  }
}

TEST(DoubleTree, SendsAtMostTwoVectorsInTwoMessagesASegment) {
  for (const std::size_t n : {2U, 3U, 8U, 15U, 16U, 33U}) {
    Request request{.peers = n, .elements = 960, .segment = 60};  // 8 segments a tree
    const Verdict verdict =
        check(request,
              schedules_of(*find_algorithm("double-tree", Operation::all_reduce).entry, request));
    ASSERT_EQ(verdict.flaw, std::nullopt);
    for (std::size_t rank = 0; rank < n; ++rank) {
      // The one parent in both trees sends up in one of them alone: it is the root of the other.
      EXPECT_LE(verdict.sent[rank].elements, 2U * 960) << n << " " << rank;
      EXPECT_LE(verdict.sent[rank].messages, 2U * 16);
    }
  }
}

TEST(DoubleTree, TakesTheTimeOfItsFormula) {
  // 2 m beta + 4 h alpha + 4 sqrt(2 h m alpha beta) for segments of sqrt(m alpha / (2 h beta)):
  // four messages a segment, and two a hop while the pipeline fills and drains. Ranks that run
  // ahead share ports with those that do not, so it takes up to half as long again.
  const LinkModel link{
      .alpha_seconds = 20e-6, .beta_seconds_per_byte = 1e-9, .gamma_seconds_per_byte = 0};
  for (const std::size_t n : {16U, 32U, 64U}) {
    const double bytes = 4.0 * (1U << 20U);
    const auto height = static_cast<double>(floor_log2(n));
    const double alpha = link.alpha_seconds;
    const double beta = link.beta_seconds_per_byte;
    const double best = std::sqrt(bytes * alpha / (2 * height * beta));
    const double formula =
        2 * bytes * beta + 4 * height * alpha + 4 * std::sqrt(2 * height * bytes * alpha * beta);
    const Request request{.peers = n,
                          .elements = std::size_t{1} << 20U,
                          .segment = static_cast<std::size_t>(best / sizeof(float))};
    const double found =
        predict(schedules_of(*find_algorithm("double-tree", Operation::all_reduce).entry, request),
                request.elements,
                sizeof(float),
                link);
    EXPECT_LT(found, 1.6 * formula) << n;
    EXPECT_GT(found, 0.8 * formula) << n;
  }
}

double predicted(const char* name, const Request& request, const LinkModel& link) {
  const auto* algorithm = find_algorithm(name, request.operation).entry;
  return predict(schedules_of(*algorithm, request), request.elements, sizeof(float), link);
}

TEST(Chain, TakesSegmentsPlusHopsMessages) {
  const LinkModel link{
      .alpha_seconds = 3e-6, .beta_seconds_per_byte = 2e-9, .gamma_seconds_per_byte = 0};
  for (const std::size_t n : {2U, 3U, 8U, 17U}) {
    Request request = broadcast_of(n, 4096);
    request.segment = 256;
    const double message = 3e-6 + 256 * sizeof(float) * 2e-9;
    const double wanted = static_cast<double>(n - 2 + 16) * message;
    EXPECT_NEAR(predicted("chain", request, link), wanted, 1e-12) << n;
    request.operation = Operation::reduce;
    EXPECT_NEAR(predicted("chain", request, link), wanted, 1e-12) << n;
  }
}

TEST(Chain, SendsTheVectorOnce) {
  for (const std::size_t n : {2U, 5U, 9U}) {
    Request request = broadcast_of(n, 1003);
    request.segment = 100;
    const Verdict verdict =
        check(request, schedules_of(*find_algorithm("chain", Operation::broadcast).entry, request));
    ASSERT_EQ(verdict.flaw, std::nullopt);
    const std::size_t last = (request.root + n - 1) % n;
    for (std::size_t rank = 0; rank < n; ++rank) {
      EXPECT_EQ(verdict.sent[rank], rank == last ? Traffic{} : (Traffic{11, 11, 1003}));
    }
  }
}

TEST(BinaryTree, TakesTwoMessagesASegmentAndTwoAHop) {
  const LinkModel link{
      .alpha_seconds = 3e-6, .beta_seconds_per_byte = 2e-9, .gamma_seconds_per_byte = 0};
  for (std::size_t levels = 1; levels <= 5; ++levels) {
    const std::size_t n = (std::size_t{2} << levels) - 1;
    Request request = broadcast_of(n, 4096);
    request.segment = 256;
    const double message = 3e-6 + 256 * sizeof(float) * 2e-9;
    // The last rank is a right child on all levels: two rounds each; then a segment every other
    // one.
    const auto rounds = static_cast<double>(2 * levels + 2 * 15);
    EXPECT_NEAR(predicted("binary-tree", request, link), rounds * message, 1e-12) << n;
  }
}

TEST(ScatterAllGather, TakesTwiceTheRoundsAndTwoVectors) {
  const LinkModel link{
      .alpha_seconds = 3e-6, .beta_seconds_per_byte = 2e-9, .gamma_seconds_per_byte = 0.5e-9};
  for (const std::size_t n : {2U, 4U, 8U, 16U, 32U}) {
    const auto rounds = static_cast<double>(ceil_log2(n));
    const double share = static_cast<double>(n - 1) / static_cast<double>(n);
    const double bytes = 1024.0 * static_cast<double>(n) * sizeof(float);
    const double moving = 2 * share * bytes * 2e-9;
    Request request = broadcast_of(n, 1024 * n);
    EXPECT_NEAR(predicted("scatter-all-gather", request, link), 2 * rounds * 3e-6 + moving, 1e-12);
    EXPECT_NEAR(predicted("scatter-ring", request, link),
                (rounds + static_cast<double>(n - 1)) * 3e-6 + moving,
                1e-12);
    request.operation = Operation::reduce;
    EXPECT_NEAR(predicted("scatter-all-gather", request, link),
                2 * rounds * 3e-6 + moving + share * bytes * 0.5e-9,
                1e-12);
  }
}

}  // namespace
}  // namespace starling::collective
