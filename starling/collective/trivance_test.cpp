// Trivance: coverage, counts, loads of links.
#include "starling/collective/trivance.hpp"

#include <algorithm>
#include <cstdint>

#include <gtest/gtest.h>

#include "starling/collective/dims.hpp"
#include "starling/collective/gather_pattern.hpp"
#include "starling/collective/torus.hpp"

#include "tests/support/collective_cases.hpp"
#include "tests/support/schedules.hpp"

namespace starling::collective {
namespace {

using starling::testing::ask;
using starling::testing::link_loads;
using starling::testing::on_ring;
using starling::testing::played;
using starling::testing::proved;

std::size_t ceil_log3(std::size_t n) {
  std::size_t rounds = 0;
  for (std::size_t power = 1; power < n; power *= 3) {
    ++rounds;
  }
  return rounds;
}

class TrivanceUpTo : public ::testing::TestWithParam<std::size_t> {};

TEST_P(TrivanceUpTo, IsExactForEveryRing) {
  for (std::size_t n = GetParam(); n < GetParam() + 20; ++n) {
    const Request request{.operation = Operation::all_gather, .peers = n, .elements = n};
    for (const Traffic& sent : proved(on_ring("trivance", n), request).sent) {
      EXPECT_LE(sent.messages, 2 * ceil_log3(n)) << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, TrivanceUpTo, ::testing::Values(1, 20, 40, 60, 80, 100));

TEST(Trivance, IsExactOnToriWithAnyNumberOfColors) {
  for (const char* dims : {"3x3", "9x3", "2x5", "4x4", "3x2x4", "6x1x2"}) {
    const std::size_t n = product(parse_dims(dims));
    const std::size_t axes = torus_axes({.peers = n, .dims = parse_dims(dims)}).size();
    for (std::size_t colors = 1; colors <= axes; ++colors) {
      const std::string text =
          std::string("trivance:") + dims + ":colors=" + std::to_string(colors);
      for (const auto operation :
           {Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter}) {
        proved(text, {.operation = operation, .peers = n, .elements = 5 * n + 1});
      }
    }
  }
}

TEST(Trivance, SendsTheLeastBytesInTwoMessagesARound) {
  for (const std::size_t n : {3U, 9U, 27U, 81U}) {
    const std::size_t rounds = ceil_log3(n);
    const Request request{.peers = n, .elements = 2 * n};
    for (const Traffic& sent : proved(on_ring("trivance", n), request).sent) {
      EXPECT_EQ(sent, (Traffic{4 * rounds, 2 * (n - 1), 4 * (n - 1)})) << n;
    }
    for (const Traffic& sent : proved(on_ring("trivance-latency", n), request).sent) {
      EXPECT_EQ(sent, (Traffic{2 * rounds, 2 * rounds, 4 * n * rounds})) << n;
    }
  }
  proved("trivance-latency:9x3", {.peers = 27, .elements = 100});
  proved("trivance-latency:1", {.peers = 1, .elements = 100});
}

TEST(Trivance, LoadsEveryLinkOfARingEqually) {
  for (const auto& [n, blocks] : {std::pair<std::size_t, std::size_t>{27, 27}, {81, 108}}) {
    const auto loads = link_loads(
        ask(on_ring("trivance", n), {.operation = Operation::all_gather, .peers = n}).schedules(),
        {n});
    for (std::size_t link = 0; link < 2 * n; ++link) {
      std::size_t all = 0;
      for (const auto& of_round : loads) {
        all += of_round[link];
      }
      EXPECT_EQ(all, blocks) << n << " " << link;
    }
  }
}

TEST(Trivance, TheLatencyVariantDiffersInTheLastBitsFromThreeRanksOn) {
  std::vector<std::vector<float>> vectors(3, std::vector<float>(101));
  std::uint32_t state = 7;
  for (auto& vector : vectors) {
    for (float& value : vector) {
      state = state * 1664525U + 1013904223U;
      value = static_cast<float>(state >> 8U) / 3.0F;
    }
  }
  const auto results =
      played(ask("trivance-latency:3", {.peers = 3, .elements = 101}).schedules(), vectors);
  EXPECT_NE(results[1], results[0]);
  EXPECT_NE(results[2], results[0]);
  EXPECT_FALSE(
      find_algorithm("trivance-latency", Operation::all_reduce).entry->same_bits_everywhere);
}

TEST(GatherPattern, SendsWhatTwoCouldSendFromTheLowerOne) {
  // Everybody sends to both neighbours of a ring of four, twice: what is across comes from two.
  GatherRound round{1, std::vector<Sources>(4)};
  for (std::size_t rank = 0; rank < 4; ++rank) {
    round.sources[rank].add((rank + 1) % 4);
    round.sources[rank].add((rank + 3) % 4);
  }
  const GatherPattern pattern{4, {round, round}};
  ASSERT_TRUE(is_complete(pattern));
  const auto sends = [&](std::size_t rank) {
    const Lane lane = gather_lane(pattern, rank, {});
    std::vector<std::size_t> peers;
    for (const Transfer& each : lane.round(1)) {
      if (each.action == Action::send) {
        peers.push_back(each.peer);
      }
    }
    return peers;
  };
  EXPECT_EQ(sends(0), (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(sends(1), (std::vector<std::size_t>{0, 2}));
  EXPECT_TRUE(sends(2).empty());
  EXPECT_TRUE(sends(3).empty());
}

TEST(GatherPattern, RefusesOneThatLeavesSomebodyOut) {
  GatherRound round{1, std::vector<Sources>(3)};
  for (std::size_t rank = 0; rank < 3; ++rank) {
    round.sources[rank].add((rank + 1) % 3);
  }
  const GatherPattern pattern{3, {round}};
  EXPECT_FALSE(is_complete(pattern));
  EXPECT_THROW((void)gather_lane(pattern, 0, {}), ContractError);
}

}  // namespace
}  // namespace starling::collective
