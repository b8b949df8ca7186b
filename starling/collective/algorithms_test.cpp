// Every algorithm of the catalog, proved for n = 1 .. 33 and 64, and counted as its formulas say.
#include <bit>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "starling/collective/catalog.hpp"
#include "starling/collective/checker.hpp"
#include "starling/core/error.hpp"

#include "tests/support/collective_cases.hpp"
#include "tests/support/schedules.hpp"

namespace starling::collective {
namespace {

using starling::testing::ask;
using starling::testing::played;
using starling::testing::proved;

std::vector<std::size_t> all_sizes() {
#ifdef STARLING_SANITIZED  // nothing there hangs on the number
  return {1, 2, 3, 4, 5, 8, 9, 12};
#else
  std::vector<std::size_t> sizes;
  for (std::size_t n = 1; n <= 33; ++n) {
    sizes.push_back(n);
  }
  sizes.push_back(64);
  return sizes;
#endif
}

class EveryAlgorithm : public ::testing::TestWithParam<std::size_t> {};

bool is_rooted(Operation operation) {
  return operation == Operation::broadcast || operation == Operation::reduce ||
         operation == Operation::scatter || operation == Operation::gather;
}

/// Calls visit(name, request) for every algorithm and operation that exist for n peers.
template <class Visit>
void for_each_offer(std::size_t n, Visit visit) {
  for (const CatalogEntry& algorithm : catalog()) {
    for (std::size_t k = 0; k < kOperations; ++k) {
      const auto operation = static_cast<Operation>(k);
      if (algorithm.build(operation) == nullptr) {
        continue;
      }
      const Request request =
          ask(algorithm.name, {.operation = operation, .peers = n, .elements = 1003}).request;
      if (!algorithm.why_not(request)) {
        visit(algorithm, request);
      }
    }
  }
}

void expect_proved(const CatalogEntry& algorithm, const Request& request) {
  EXPECT_EQ(check(request, schedules_of(algorithm, request)).flaw, std::nullopt)
      << algorithm.name << " " << to_string(request.operation) << " n=" << request.peers
      << " root=" << request.root << " elements=" << request.elements;
}

TEST_P(EveryAlgorithm, IsProvedByTheCheckerForEveryRoot) {
  const std::size_t n = GetParam();
  for_each_offer(n, [&](const CatalogEntry& algorithm, Request request) {
    request.segment = 251;
    const std::size_t roots = is_rooted(request.operation) ? n : 1;
    for (request.root = 0; request.root < roots; request.root += n <= 33 ? 1 : 9) {
      expect_proved(algorithm, request);
    }
  });
}

TEST_P(EveryAlgorithm, FitsEveryLength) {
  const std::size_t n = GetParam();
  for_each_offer(n, [&](const CatalogEntry& algorithm, Request request) {
    request.root = is_rooted(request.operation) ? n / 2 : 0;
    request.segment = 17;
    for (const std::size_t elements :
         {std::size_t{0}, std::size_t{1}, n - 1, n, n + 1, std::size_t{409}}) {
      request.elements = elements;
      expect_proved(algorithm, request);
    }
  });
}

TEST_P(EveryAlgorithm, FitsPartsOfUnequalLengths) {
  const std::size_t n = GetParam();
  for_each_offer(n, [&](const CatalogEntry& algorithm, Request request) {
    if (!has_parts(request.operation)) {
      return;
    }
    request.root = is_rooted(request.operation) ? n - 1 : 0;
    request.elements = 0;
    const std::size_t parts = parts_of(request).blocks();
    for (std::size_t part = 0; part < parts; ++part) {
      request.parts.push_back(part * part % 7);  // some empty, in no order
      request.elements += request.parts.back();
    }
    expect_proved(algorithm, request);
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, EveryAlgorithm, ::testing::ValuesIn(all_sizes()));

/// Numbers whose sums are rounded.
std::vector<std::vector<float>> rough_vectors(std::size_t n, std::size_t elements) {
  std::vector<std::vector<float>> vectors(n, std::vector<float>(elements));
  std::uint32_t state = 1;
  for (auto& vector : vectors) {
    for (float& value : vector) {
      state = state * 1664525U + 1013904223U;
      value = static_cast<float>(state >> 8U) / 3.0F;
    }
  }
  return vectors;
}

TEST_P(EveryAlgorithm, OfSameBitsEverywhereGivesAllRanksTheSameBits) {
  const std::size_t n = GetParam();
  for_each_offer(n, [&](const CatalogEntry& algorithm, Request request) {
    if (request.operation != Operation::all_reduce || !algorithm.same_bits_everywhere) {
      return;
    }
    request.elements = 67;
    const auto results =
        played(schedules_of(algorithm, request), rough_vectors(n, request.elements));
    for (const auto& result : results) {
      EXPECT_EQ(result, results.front()) << algorithm.name << " n=" << n;
    }
  });
}

Verdict all_reduce_of(const char* name, std::size_t n, std::size_t elements) {
  return proved(name, {.peers = n, .elements = elements});
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

TEST(Counts, BruckAndCirculantAreExactUpTo129) {
  for (std::size_t n = 1; n <= 129; ++n) {
    for (const char* name : {"bruck", "circulant"}) {
      const Request gather{.operation = Operation::all_gather, .peers = n, .elements = n};
      for (const Traffic& sent : proved(name, gather).sent) {
        EXPECT_EQ(sent, (Traffic{ceil_log2(n), n - 1, n - 1})) << name << n;
      }
    }
  }
}

TEST(Counts, BruckReducesWithTheLeastBytesInFewestRounds) {
  for (const std::size_t n : all_sizes()) {
    for (const Traffic& sent : all_reduce_of("bruck", n, 5 * n).sent) {
      EXPECT_EQ(sent, (Traffic{2 * ceil_log2(n), 2 * (n - 1), 10 * (n - 1)})) << n;
    }
  }
}

TEST(Counts, DirectNeedsTwoRoundsAndTheLeastBytes) {
  for (const std::size_t n : all_sizes()) {
    for (const Traffic& sent : all_reduce_of("direct", n, 5 * n).sent) {
      EXPECT_EQ(sent, (Traffic{2 * (n - 1), 2 * (n - 1), 10 * (n - 1)})) << n;
    }
    EXPECT_EQ(ask("direct", {.peers = n}).schedule(0).lanes.front().rounds(), 2U);
  }
}

TEST(Counts, AllToAllSendsEveryPartOnceOrInFewRounds) {
  for (const std::size_t n : all_sizes()) {
    const Request request{.operation = Operation::all_to_all, .peers = n, .elements = n * n};
    for (const char* name : {"pairwise", "direct"}) {
      for (const Traffic& sent : proved(name, request).sent) {
        EXPECT_EQ(sent, (Traffic{n - 1, n - 1, n - 1})) << name << n;
      }
    }
    std::size_t bits = 0;  // a part is sent once for every bit of the distance it goes
    for (std::size_t way = 1; way < n; ++way) {
      bits += static_cast<std::size_t>(std::popcount(way));
    }
    for (const Traffic& sent : proved("bruck", request).sent) {
      EXPECT_EQ(sent, (Traffic{ceil_log2(n), bits, bits})) << n;
    }
  }
}

TEST(Counts, AScatterSendsNMinusOnePartsFromTheRoot) {
  for (const std::size_t n : all_sizes()) {
    const std::size_t root = n / 3;
    const Request scatter{
        .operation = Operation::scatter, .peers = n, .root = root, .elements = 4 * n};
    EXPECT_EQ(proved("binomial", scatter).sent[root], (Traffic{ceil_log2(n), n - 1, 4 * (n - 1)}));
    EXPECT_EQ(proved("direct", scatter).sent[root], (Traffic{n - 1, n - 1, 4 * (n - 1)}));
    Request gather = scatter;
    gather.operation = Operation::gather;
    EXPECT_EQ(proved("binomial", gather).sent[root], Traffic{});
  }
}

TEST(Counts, HalvesOfHalvingAndDoublingAreOfferedForPowersOfTwo) {
  for (const std::size_t n : {1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
    const Traffic half{ceil_log2(n), n - 1, 3 * (n - 1)};
    const Request gather{.operation = Operation::all_gather, .peers = n, .elements = 3 * n};
    EXPECT_EQ(proved("recursive-doubling", gather).sent[n / 2], half);
    const Request scatter{.operation = Operation::reduce_scatter, .peers = n, .elements = 3 * n};
    EXPECT_EQ(proved("halving-doubling", scatter).sent[n / 2], half);
  }
}

TEST(Catalog, RefusesANumberOfPeersAndNamesTheNearest) {
  const auto refusal = [](const char* text, const Request& request) {
    try {
      (void)ask(text, request).schedules();
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(
      refusal("recursive-doubling", {.operation = Operation::all_gather, .peers = 12}),
      "collective recursive-doubling: a power of two is needed, found 12 peers; the nearest are "
      "8 and 16");
  EXPECT_EQ(refusal("bine", {.operation = Operation::reduce, .peers = 3}),
            "collective bine: a power of two is needed, found 3 peers; the nearest are 2 and 4");
  EXPECT_EQ(refusal("trivance-latency:12", {.peers = 12}),
            "collective trivance-latency: powers of three are needed, found an axis of 12; the "
            "nearest are 9 and 27");
  EXPECT_EQ(refusal("trivance:3x3:colors=3", {.peers = 9}),
            "collective trivance: it has a color an axis, at most 2, found 3");
  EXPECT_EQ(
      refusal("swing:15", {.operation = Operation::all_gather, .peers = 15}),
      "collective swing: its steps do not reach everybody along an axis of 15; axes of 14 and "
      "16 would do");
  EXPECT_EQ(refusal("swing:8:colors=3", {.peers = 8}),
            "collective swing: it has two colors an axis, at most 2, found 3");
  EXPECT_EQ(refusal("hierarchical:3x3", {.peers = 8}),
            "collective hierarchical: the extents 3x3 hold 9 peers, there are 8");
}

TEST(Schedules, OfOneRankAmongManyAreSmall) {
  constexpr std::size_t kMost = std::size_t{2} << 20U;
  for (const std::size_t n : {2187U, 4095U, 4096U}) {
    for_each_offer(n, [&](const CatalogEntry& algorithm, const Request& request) {
      std::size_t bytes = 0;
      for (const Lane& lane : make_schedule(algorithm, request).lanes) {
        bytes += lane.transfers().size_bytes() + lane.rounds() * sizeof(std::size_t);
        for (const Transfer& each : lane.transfers()) {
          bytes += each.runs * sizeof(Range);
        }
      }
      EXPECT_LT(bytes, kMost) << algorithm.name << " " << to_string(request.operation) << n;
    });
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
    const std::string said = error.what();
    EXPECT_EQ(
        said.find("collective: 'binomial' offers broadcast, reduce, scatter, gather, not "
                  "all-reduce; one of: ring, recursive-doubling, halving-doubling, circulant"),
        0U)
        << said;
  }
}

}  // namespace
}  // namespace starling::collective
