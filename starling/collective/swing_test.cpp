// Swing and Bine: partners, numbers, coverage, loads of links.
#include "starling/collective/swing.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include <gtest/gtest.h>

#include "starling/collective/bine.hpp"
#include "starling/collective/dims.hpp"
#include "starling/collective/swing_color.hpp"
#include "starling/collective/torus.hpp"
#include "starling/collective/torus_color.hpp"

#include "tests/support/collective_cases.hpp"
#include "tests/support/schedules.hpp"

namespace starling::collective {
namespace {

using starling::testing::ask;
using starling::testing::link_loads;
using starling::testing::on_ring;
using starling::testing::played;
using starling::testing::proved;

using Dims = std::vector<std::size_t>;

std::vector<std::size_t> peers_in(std::size_t step, std::size_t n) {
  std::vector<std::size_t> peers;
  for (std::size_t rank = 0; rank < n; ++rank) {
    peers.push_back(swing_peer(rank, step, n));
  }
  return peers;
}

std::vector<std::size_t> numbers_of(std::size_t n) {
  std::vector<std::size_t> numbers;
  for (std::size_t rank = 0; rank < n; ++rank) {
    numbers.push_back(swing_number(rank, n));
  }
  return numbers;
}

TEST(Swing, DistancesAreSumsOfPowersOfMinusTwo) {
  EXPECT_EQ(swing_distance(0), 1);
  EXPECT_EQ(swing_distance(1), -1);
  EXPECT_EQ(swing_distance(2), 3);
  EXPECT_EQ(swing_distance(3), -5);
  EXPECT_EQ(swing_distance(4), 11);
}

TEST(Swing, PeersOfEight) {
  EXPECT_EQ(peers_in(0, 8), (std::vector<std::size_t>{1, 0, 3, 2, 5, 4, 7, 6}));
  EXPECT_EQ(peers_in(1, 8), (std::vector<std::size_t>{7, 2, 1, 4, 3, 6, 5, 0}));
  EXPECT_EQ(peers_in(2, 8), (std::vector<std::size_t>{3, 6, 5, 0, 7, 2, 1, 4}));
}

TEST(Swing, PeersPairUpForEveryEvenNumber) {
  for (std::size_t n = 2; n < 200; n += 2) {
    for (std::size_t step = 0; step < ceil_log2(n); ++step) {
      for (std::size_t rank = 0; rank < n; ++rank) {
        const std::size_t peer = swing_peer(rank, step, n);
        EXPECT_NE(peer, rank);
        EXPECT_EQ(swing_peer(peer, step, n), rank);
      }
    }
  }
}

TEST(Swing, NumbersOfEightAndSixteen) {
  EXPECT_EQ(numbers_of(8), (std::vector<std::size_t>{0, 4, 6, 1, 3, 7, 5, 2}));
  EXPECT_EQ(numbers_of(16),
            (std::vector<std::size_t>{0, 8, 12, 2, 5, 14, 9, 7, 3, 11, 15, 1, 6, 13, 10, 4}));
}

TEST(Swing, NumbersOfPartnersDifferFirstInTheBitOfTheStep) {
  for (std::size_t n = 2; n <= 512; n *= 2) {
    const std::size_t bits = floor_log2(n);
    for (std::size_t step = 0; step < bits; ++step) {
      for (std::size_t rank = 0; rank < n; ++rank) {
        const std::size_t different =
            swing_number(rank, n) ^ swing_number(swing_peer(rank, step, n), n);
        EXPECT_EQ(std::bit_floor(different), std::size_t{1} << (bits - 1 - step)) << n;
      }
    }
  }
}

TEST(Swing, ReachesAllOnAllButEightOfTheOddRingsBelow64) {
  Dims missed;
  for (std::size_t n = 1; n < 64; n += 2) {
    if (!swing_reaches_all(n)) {
      missed.push_back(n);
    }
  }
  EXPECT_EQ(missed, (Dims{15, 29, 31, 55, 57, 59, 61, 63}));
}

TEST(Swing, ReachesAllOnEveryEvenRingBelow200) {
  for (std::size_t n = 2; n < 200; n += 2) {
    for (const TorusColor& color : torus_colors(1, 2)) {
      EXPECT_TRUE(is_complete(SwingColor({n}, color).far_first())) << n;
    }
  }
}

/// All tori with even sides, up to 150 nodes and three axes.
std::vector<Dims> even_tori() {
  std::vector<Dims> all;
  for (std::size_t a = 2; a <= 75; a += 2) {
    for (std::size_t b = 2; a * b <= 150; b += 2) {
      all.push_back({a, b});
      for (std::size_t c = 2; a * b * c <= 150; c += 2) {
        all.push_back({a, b, c});
      }
    }
  }
  return all;
}

TEST(Swing, ReachesAllOnEveryEvenTorusUpTo150WithAllPorts) {
  for (const Dims& dims : even_tori()) {
    for (const TorusColor& color : torus_colors(dims.size(), 2 * dims.size())) {
      EXPECT_TRUE(is_complete(SwingColor(dims, color).far_first())) << dims_text(dims);
    }
  }
}

class SwingOn : public ::testing::TestWithParam<const char*> {
 protected:
  std::string dims = GetParam();
  std::size_t n = product(parse_dims(dims));
};

TEST_P(SwingOn, IsExactWithAnyNumberOfColorsInBothLayouts) {
  const std::size_t axes = torus_axes({.peers = n, .dims = parse_dims(dims)}).size();
  for (std::size_t colors = 1; colors <= most_colors(axes); ++colors) {
    const std::string text = "swing:" + dims + ":colors=" + std::to_string(colors);
    for (const std::size_t elements : {std::size_t{0}, n - 1, 8 * n + 3}) {
      proved(text, {.peers = n, .elements = elements});
      for (const char* layout : {":layout=relaxed", ":layout=split"}) {
        for (const auto operation : {Operation::all_gather, Operation::reduce_scatter}) {
          const Request request{.operation = operation, .peers = n, .elements = elements};
          const auto asked = ask(text + layout, request);
          if (!asked.entry->why_not(asked.request)) {
            proved(text + layout, request);
          }
        }
      }
    }
  }
}

TEST_P(SwingOn, ItsLatencyVariantIsExact) {
  for (const std::size_t elements : {std::size_t{0}, n - 1, 8 * n + 3}) {
    proved("swing-latency:" + dims, {.peers = n, .elements = elements});
  }
}

INSTANTIATE_TEST_SUITE_P(Tori,
                         SwingOn,
                         ::testing::Values("1",
                                           "2",
                                           "7",
                                           "15",
                                           "16",
                                           "22",
                                           "31",
                                           "1x8x1",
                                           "2x2x2",
                                           "3x5",
                                           "4x6",
                                           "8x4",
                                           "2x3x4",
                                           "4x2x4"));

TEST(Swing, SendsTheLeastBytesInTwoRoundsAStep) {
  for (const std::size_t n : {2U, 4U, 8U, 16U, 32U, 64U}) {
    const std::size_t rounds = ceil_log2(n);
    const Request request{.peers = n, .elements = 5 * n};
    for (const Traffic& sent : proved(on_ring("swing", n, ":colors=1"), request).sent) {
      EXPECT_EQ(sent, (Traffic{2 * rounds, 2 * (n - 1), 10 * (n - 1)})) << n;
    }
    for (const Traffic& sent : proved(on_ring("swing-latency", n, ":colors=1"), request).sent) {
      EXPECT_EQ(sent, (Traffic{rounds, rounds, 5 * n * rounds})) << n;
    }
    for (const Traffic& sent : proved("bine", request).sent) {
      EXPECT_EQ(sent, (Traffic{2 * rounds, 2 * (n - 1), 10 * (n - 1)})) << n;
    }
  }
  for (std::size_t n = 6; n <= 66; n += 12) {  // even, no power of two
    for (const Traffic& sent : proved(on_ring("swing", n), {.peers = n, .elements = 4 * n}).sent) {
      EXPECT_EQ(sent.elements, 8 * (n - 1)) << n;
    }
  }
}

TEST(Swing, MessagesOfPowersOfTwoAreOneRun) {
  for (const char* text : {"swing:16", "swing:4x8", "swing:4x4x2", "bine"}) {
    for (const auto operation :
         {Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter}) {
      const std::size_t n = text == std::string("swing:16") ? 16 : 32;
      const Request request{.operation = operation, .peers = n};
      for (const Schedule& schedule : ask(text, request).schedules()) {
        for (const Lane& lane : schedule.lanes) {
          for (const Transfer& each : lane.transfers()) {
            EXPECT_EQ(each.runs, 1U) << text;
          }
        }
      }
    }
  }
}

TEST(Swing, BringsOneBlockAColorWhereItBelongs) {
  // The round after a reduce-scatter in relaxed order: each rank sends its 4 blocks, if not its
  // own.
  const Request request{.operation = Operation::reduce_scatter, .peers = 16, .elements = 64};
  const Verdict relaxed = proved("swing:4x4", request);
  const Verdict split = proved("swing:4x4:layout=split", request);
  for (std::size_t rank = 0; rank < 16; ++rank) {
    EXPECT_EQ(split.sent[rank].elements, 60U);
    EXPECT_GE(relaxed.sent[rank].elements, 60U);
    EXPECT_LE(relaxed.sent[rank].elements, 64U);
  }
}

TEST(Swing, TheLastOfAnUncoveredRingSendsAndGetsEveryBlock) {
  const Verdict verdict = proved("swing:15:colors=1", {.peers = 15, .elements = 14 * 3});
  EXPECT_EQ(verdict.sent[14], (Traffic{14, 14, 42}));
  for (std::size_t rank = 0; rank < 14; ++rank) {
    EXPECT_EQ(verdict.sent[rank].elements, 3 * (2 * 13 + 1));  // and one block to the last
  }
}

std::size_t differing_from_the_first(std::string_view text, std::size_t n) {
  std::vector<std::vector<float>> vectors(n, std::vector<float>(101));
  std::uint32_t state = 7;
  for (auto& vector : vectors) {
    for (float& value : vector) {
      state = state * 1664525U + 1013904223U;
      value = static_cast<float>(state >> 8U) / 3.0F;
    }
  }
  const auto results = played(ask(text, {.peers = n, .elements = 101}).schedules(), vectors);
  return static_cast<std::size_t>(std::count_if(
      results.begin(), results.end(), [&](const auto& each) { return each != results.front(); }));
}

TEST(SwingLatency, FourOfEightRanksDifferInTheLastBits) {
  EXPECT_EQ(differing_from_the_first("swing-latency:4:colors=1", 4), 0U);
  EXPECT_EQ(differing_from_the_first("swing-latency:8:colors=1", 8), 4U);
  EXPECT_EQ(differing_from_the_first("swing:8", 8), 0U);
  EXPECT_FALSE(find_algorithm("swing-latency", Operation::all_reduce).entry->same_bits_everywhere);
}

/// What the busiest link of every round of the first half carries, over what is possible:
/// (1 - 1/n) of a vector over 2D links of every rank.
double xi(const Dims& dims) {
  const std::size_t n = product(dims);
  const auto schedules = ask("swing:" + dims_text(dims), {.peers = n}).schedules();
  const auto loads = link_loads(schedules, dims);
  std::size_t busiest = 0;
  for (std::size_t round = 0; round < loads.size() / 2; ++round) {
    busiest += *std::max_element(loads[round].begin(), loads[round].end());
  }
  // A color has n blocks, so the best is n - 1 blocks on every link.
  return static_cast<double>(busiest) / static_cast<double>(n - 1);
}

/// The same from the mean of all links.
double mean_load(const char* text, const Dims& dims, std::size_t blocks_of_vector) {
  const std::size_t n = product(dims);
  const auto loads = link_loads(ask(text, {.peers = n}).schedules(), dims);
  std::size_t all = 0;
  for (std::size_t round = 0; round < loads.size() / 2; ++round) {
    for (const std::size_t load : loads[round]) {
      all += load;
    }
  }
  const double links = static_cast<double>(n * 2 * dims.size());
  const double best = static_cast<double>(blocks_of_vector) * (1.0 - 1.0 / static_cast<double>(n)) /
                      static_cast<double>(2 * dims.size());
  return static_cast<double>(all) / links / best;
}

TEST(Swing, LoadsLinksOfToriWithAllPortsAsXiSays) {
  EXPECT_NEAR(xi({8, 8}), 1.095, 5e-4);
  EXPECT_NEAR(xi({16, 16}), 1.141, 5e-4);
  EXPECT_NEAR(xi({8, 8, 8}), 1.027, 5e-4);
  EXPECT_NEAR(xi({16}), 1.533, 5e-4);
  EXPECT_NEAR(xi({64}), 2.143, 5e-4);
}

TEST(Swing, HalvingAndDoublingLoadsARingMore) {
  EXPECT_NEAR(mean_load("halving-doubling", {16}, 16), 2.133, 5e-4);
  EXPECT_NEAR(mean_load("halving-doubling", {64}, 64), 3.048, 5e-4);
  EXPECT_NEAR(mean_load("swing:16", {16}, 32), 1.533, 5e-4);
}

TEST(Bine, TreeDistancesAreThoseOfSwing) {
  for (std::size_t n = 2; n <= 512; n *= 2) {
    const Request request{.operation = Operation::broadcast, .peers = n, .root = n / 3};
    const auto schedules = ask("bine", request).schedules();
    for (const Schedule& schedule : schedules) {
      const Lane& lane = schedule.lanes.front();
      for (std::size_t round = 0; round < lane.rounds(); ++round) {
        const std::size_t k = lane.rounds() - 1 - round;
        const auto far = static_cast<std::size_t>(std::abs(swing_distance(k)));
        for (const Transfer& each : lane.round(round)) {
          const std::size_t up = (each.peer + n - schedule.rank) % n;
          EXPECT_TRUE(up == far % n || n - up == far % n) << n << " " << k;
        }
      }
    }
    EXPECT_EQ(check(request, schedules).flaw, std::nullopt);
  }
}

TEST(Bine, ATreeSendsTheVectorOnceToEveryOther) {
  const Request request{.operation = Operation::broadcast, .peers = 64, .root = 5, .elements = 7};
  std::size_t messages = 0;
  for (const Traffic& sent : proved("bine", request).sent) {
    messages += sent.messages;
    EXPECT_LE(sent.messages, 6U);
  }
  EXPECT_EQ(messages, 63U);
}

}  // namespace
}  // namespace starling::collective
