#include "starling/trainer/timing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "starling/collective/catalog.hpp"
#include "starling/core/error.hpp"
#include "starling/peer/message.hpp"

#include "tests/support/worlds.hpp"

namespace starling::trainer {
namespace {

using collective::LinkModel;
using collective::Operation;
using starling::testing::all_kinds;
using starling::testing::Kind;
using ::testing::HasSubstr;

constexpr std::size_t kKibi = 1024;

bool has_simulation() {
  return all_kinds().size() > 1;
}

TimingSurroundings in(Kind kind, const std::string& platform = "lan") {
  return {.make_world =
              [kind, platform](const WorldRequest& request, std::size_t scale) {
                return starling::testing::make_world(kind,
                                                     {.peers = request.peers,
                                                      .seed = request.seed,
                                                      .observer = request.observer,
                                                      .slow_warning = request.slow_warning,
                                                      .platform = platform,
                                                      .byte_scale = scale});
              },
          .virtual_time = kind == Kind::simulation};
}

/// A message between two hosts of the simulated lan: 0.1 ms and a Gbit/s, of which 97 % are
/// payload, with 40 bytes around it. Adding takes no virtual time.
LinkModel lan() {
  const double beta = 8 / 0.97e9;
  return {.alpha_seconds = 1e-4 + kMessageOverheadBytes * beta,
          .beta_seconds_per_byte = beta,
          .gamma_seconds_per_byte = 0.0};
}

LinkModel torus(std::vector<std::size_t> extents) {
  const double beta = 8 / 10e9;
  return {.alpha_seconds = kMessageOverheadBytes * beta,
          .beta_seconds_per_byte = beta,
          .gamma_seconds_per_byte = 0.0,
          .torus = std::move(extents),
          .hop_seconds = 1e-6};
}

/// On a network that is known.
TimingSurroundings simulated(const std::string& platform, const LinkModel& link) {
  TimingSurroundings surroundings = in(Kind::simulation, platform);
  surroundings.selection.link = link;
  surroundings.link = link;
  return surroundings;
}

std::vector<Operation> all_operations() {
  std::vector<Operation> operations;
  for (std::size_t k = 0; k < collective::kOperations; ++k) {
    const auto operation = static_cast<Operation>(k);
    if (!collective::names_for(operation).empty()) {
      operations.push_back(operation);
    }
  }
  return operations;
}

TEST(Timing, EveryAlgorithmOfEveryOperationHasARowInEveryWorld) {
  for (const Kind kind : all_kinds()) {
    for (const Operation operation : all_operations()) {
      std::vector<std::string> left_out;
      TimingSurroundings surroundings = in(kind);
      surroundings.link = lan();
      surroundings.on_left_out = [&](const std::string& what) { left_out.push_back(what); };
      const Timing timing{.operation = operation,
                          .algorithms = {"all"},
                          .peers = 6,
                          .sizes = {24 * kKibi},
                          .root = 1,
                          .repeats = 1};
      const auto rows = time_collectives(timing, surroundings);
      const auto names = collective::names_for(operation);
      ASSERT_EQ(rows.size() + left_out.size(), 1 + names.size()) << to_string(operation);
      EXPECT_EQ(rows[0].algorithm, "auto");
      EXPECT_NE(std::find(names.begin(), names.end(), rows[0].chosen), names.end());
      for (const TimingRow& row : rows) {
        SCOPED_TRACE(to_string(operation) + (" " + row.algorithm) + " " + to_string(kind));
        EXPECT_EQ(row.operation, operation);
        EXPECT_EQ(row.peers, 6U);
        EXPECT_EQ(row.bytes, operation == Operation::barrier ? 0U : 24 * kKibi);
        EXPECT_GT(row.seconds_median, 0.0);
        EXPECT_GE(row.seconds_median, row.seconds_min);
        EXPECT_GT(row.predicted_seconds, 0.0);
        EXPECT_DOUBLE_EQ(
            row.bus_bandwidth,
            least_share(operation, 6) * static_cast<double>(row.bytes) / row.seconds_median);
      }
    }
  }
}

/// Sent by a peer, mean, in bytes of the vector: the formulas of docs/collectives.md.
TEST(Timing, BytesPerPeerAreThoseOfTheFormulas) {
  const std::size_t bytes = 64 * kKibi;
  const std::map<std::pair<Operation, std::string>, double> shares{
      {{Operation::all_reduce, "ring"}, 2 * 7.0 / 8},
      {{Operation::all_reduce, "circulant"}, 2 * 7.0 / 8},
      {{Operation::all_reduce, "halving-doubling"}, 2 * 7.0 / 8},
      {{Operation::all_reduce, "recursive-doubling"}, 3.0},
      {{Operation::all_gather, "ring"}, 7.0 / 8},
      {{Operation::reduce_scatter, "circulant"}, 7.0 / 8},
      {{Operation::broadcast, "binomial"}, 7.0 / 8},
      {{Operation::reduce, "binomial"}, 7.0 / 8},
      {{Operation::barrier, "circulant"}, 0.0}};
  for (const Kind kind : all_kinds()) {
    for (const auto& [what, share] : shares) {
      TimingSurroundings surroundings = in(kind);
      surroundings.link = lan();
      const auto rows = time_collectives(
          {.operation = what.first, .algorithms = {what.second}, .sizes = {bytes}, .repeats = 2},
          surroundings);
      EXPECT_EQ(rows.at(0).bytes_per_peer, share * static_cast<double>(bytes))
          << to_string(what.first) << " by " << what.second << " " << to_string(kind);
    }
  }
}

/// Every round ends on the simulator's grid of nanoseconds, and so does every message of it.
double ticks(double rounds) {
  return 4e-9 * rounds;
}

TEST(TimingSimulated, ALanTakesWhatTheModelPredicts) {
  if (!has_simulation()) {
    GTEST_SKIP() << "this build has no simulation";
  }
  const auto rows = time_collectives(
      {.algorithms = {"ring", "recursive-doubling", "halving-doubling", "circulant"},
       .sizes = {1 * kKibi, 64 * kKibi, 1024 * kKibi}},
      simulated("lan", lan()));
  ASSERT_EQ(rows.size(), 12U);
  for (const TimingRow& row : rows) {
    // All sends of a round are as long as each other, and nobody sends two at once.
    EXPECT_NEAR(row.seconds_median, row.predicted_seconds, ticks(14))
        << row.algorithm << " " << row.bytes;
  }
}

TEST(TimingSimulated, ATorusTakesWhatTheModelPredicts) {
  if (!has_simulation()) {
    GTEST_SKIP() << "this build has no simulation";
  }
  const std::vector<std::size_t> sizes{1 * kKibi, 64 * kKibi, 1024 * kKibi};
  const auto neighbours = time_collectives({.algorithms = {"ring"}, .peers = 16, .sizes = sizes},
                                           simulated("torus:16", torus({16})));
  for (const TimingRow& row : neighbours) {
    EXPECT_NEAR(row.seconds_median, row.predicted_seconds, ticks(30)) << row.bytes;
  }
  const auto shared =
      time_collectives({.algorithms = {"recursive-doubling"}, .peers = 16, .sizes = sizes},
                       simulated("torus:4x4", torus({4, 4})));
  for (const TimingRow& row : shared) {
    // Of two messages on one cable the model adds up the payload, but the 40 bytes around it only
    // once: 4 % of the shortest ones.
    EXPECT_NEAR(row.prediction_error(), 0.0, 0.04) << row.bytes;
  }
}

TEST(TimingSimulated, AScaleChangesNoTimeAndNoBytes) {
  if (!has_simulation()) {
    GTEST_SKIP() << "this build has no simulation";
  }
  // Of which a quarter can be cut by whatever an algorithm cuts by.
#ifdef STARLING_SANITIZED  // copies take long
  constexpr std::size_t kBytes = std::size_t{3 * 5 * 7} << 10U;
  constexpr std::array kPlatforms{"torus:4x2"};
#else
  constexpr std::size_t kBytes = std::size_t{3 * 5 * 7} << 15U;
  constexpr std::array kPlatforms{"lan", "torus:4x2", "wan"};
#endif
  for (const char* platform : kPlatforms) {
    for (const Operation operation : all_operations()) {
      Timing timing{.operation = operation,
                    .algorithms = {"all"},
                    .seed = 3,
                    .sizes = {kBytes},
                    .timeout = std::chrono::seconds(1000)};
      TimingSurroundings surroundings = simulated(platform, lan());
      surroundings.selection.link.torus = {4, 2};
      const auto whole = time_collectives(timing, surroundings);
      timing.simulated_bytes = 2 * kBytes;  // a quarter of what eight have
      const auto scaled = time_collectives(timing, surroundings);
      ASSERT_EQ(whole.size(), scaled.size());
      for (std::size_t k = 0; k < whole.size(); ++k) {
        SCOPED_TRACE(platform + (" " + whole[k].algorithm) + " " + to_string(operation));
        EXPECT_EQ(whole[k].scale, 1U);
        EXPECT_EQ(scaled[k].scale, operation == Operation::barrier ? 1U : 4U);
        EXPECT_EQ(scaled[k].bytes, whole[k].bytes);
        EXPECT_EQ(scaled[k].bytes_per_peer, whole[k].bytes_per_peer);
        EXPECT_EQ(scaled[k].predicted_seconds, whole[k].predicted_seconds);
        // The segments of a pipeline are rounded to whole elements, which weigh more at a scale;
        // where the two trees of a double-tree meet on the ports follows from that.
        const bool has_segments = find_algorithm(whole[k].chosen, operation).entry->takes.segment;
        const double off = whole[k].chosen == "double-tree" ? 0.1 : has_segments ? 1e-4 : 0.0;
        EXPECT_NEAR(
            scaled[k].seconds_median, whole[k].seconds_median, off * whole[k].seconds_median);
      }
    }
  }
}

TEST(TimingSimulated, TheMeasuredLinkIsTheNetwork) {
  if (!has_simulation()) {
    GTEST_SKIP() << "this build has no simulation";
  }
  const LinkModel link = measured_link({}, in(Kind::simulation));
  EXPECT_NEAR(link.alpha_seconds, lan().alpha_seconds, 1e-7);  // with four bytes of payload
  EXPECT_NEAR(link.beta_seconds_per_byte, lan().beta_seconds_per_byte, 1e-12);
  EXPECT_NEAR(link.gamma_seconds_per_byte, 0.0, 1e-15);
}

TEST(Timing, TheLinkIsMeasuredWhereNobodyKnowsIt) {
  LinkModel found;
  TimingSurroundings surroundings = in(Kind::threads);
  surroundings.on_begin = [&](auto, const LinkModel& link) { found = link; };
  const auto rows = time_collectives({.peers = 2, .sizes = {4096}, .repeats = 1}, surroundings);
  EXPECT_GT(found.alpha_seconds, 0.0);
  EXPECT_GT(found.beta_seconds_per_byte, 0.0);
  EXPECT_GE(rows.at(0).predicted_seconds, found.alpha_seconds);
}

TEST(Timing, OnePeerSendsNothing) {
  for (const Kind kind : all_kinds()) {
    const auto rows = time_collectives({.peers = 1, .repeats = 1}, in(kind));
    EXPECT_EQ(rows.at(0).bytes_per_peer, 0.0);
    EXPECT_EQ(rows.at(0).bus_bandwidth, 0.0);
    EXPECT_EQ(rows.at(0).predicted_seconds, 0.0);
  }
}

TEST(Timing, VectorsAreRoundedToWhatAllCanShare) {
  const auto bytes_of = [](Operation operation, collective::DataType type) {
    TimingSurroundings surroundings = in(Kind::threads);
    surroundings.link = lan();
    return time_collectives(
               {.operation = operation, .peers = 3, .sizes = {1001}, .type = type, .repeats = 1},
               surroundings)
        .at(0)
        .bytes;
  };
  EXPECT_EQ(bytes_of(Operation::all_reduce, collective::DataType::f32), 1000U);
  EXPECT_EQ(bytes_of(Operation::all_reduce, collective::DataType::bf16), 1000U);
  EXPECT_EQ(bytes_of(Operation::all_gather, collective::DataType::f64), 984U);  // 3 * 41 * 8
}

TEST(Timing, NamesGivenTwiceAreTimedOnce) {
  TimingSurroundings surroundings = in(Kind::threads);
  surroundings.link = lan();
  const auto rows = time_collectives(
      {.algorithms = {"ring", "circulant", "ring"}, .peers = 2, .sizes = {64}, .repeats = 1},
      surroundings);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].algorithm, "circulant");
}

TEST(Timing, WhatCannotBeIsRefusedBeforeAnythingRuns) {
  const auto refusal = [](const Timing& timing) -> std::string {
    try {
      time_collectives(timing, {});  // which has no world
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal({.algorithms = {"ring", "rnig"}}), HasSubstr("did you mean 'ring'"));
  EXPECT_THAT(refusal({.algorithms = {"ring:4x2"}}), HasSubstr("'ring' does not take '4x2'"));
  EXPECT_THAT(refusal({.operation = Operation::broadcast, .algorithms = {"ring"}}),
              HasSubstr("not broadcast"));
  EXPECT_THAT(refusal({.operation = Operation::broadcast, .peers = 4, .root = 4}),
              HasSubstr("root: expected one of the ranks 0 to 3, found 4"));
  EXPECT_THAT(refusal({.sizes = {4, 2}}), HasSubstr("sizes: 2B hold no f32 of 4B"));
}

TEST(Timing, TheLeastShareIsTheLowerBoundOfBandwidth) {
  EXPECT_EQ(least_share(Operation::all_reduce, 4), 1.5);
  EXPECT_EQ(least_share(Operation::all_gather, 4), 0.75);
  EXPECT_EQ(least_share(Operation::all_to_all, 4), 0.75);
  EXPECT_EQ(least_share(Operation::broadcast, 4), 1.0);
  EXPECT_EQ(least_share(Operation::broadcast, 1), 0.0);
  EXPECT_EQ(least_share(Operation::barrier, 4), 0.0);
}

TEST(Timing, ARowIsOneLineOfJson) {
  const TimingRow row{.operation = Operation::reduce,
                      .algorithm = "auto",
                      .chosen = "binomial",
                      .peers = 4,
                      .type = collective::DataType::bf16,
                      .bytes = 4096,
                      .seconds_median = 2e-3,
                      .seconds_min = 1e-3,
                      .bytes_per_peer = 3072,
                      .predicted_seconds = 3e-3,
                      .bus_bandwidth = 2.048e6,
                      .scale = 2};
  const std::string text = to_json(row);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(nlohmann::json::parse(text),
            nlohmann::json({{"operation", "reduce"},
                            {"algorithm", "auto"},
                            {"chosen", "binomial"},
                            {"n", 4},
                            {"type", "bf16"},
                            {"bytes", 4096},
                            {"seconds_median", 2e-3},
                            {"seconds_min", 1e-3},
                            {"bus_bandwidth", 2.048e6},
                            {"bytes_per_peer", 3072.0},
                            {"predicted_seconds", 3e-3},
                            {"prediction_error", 3e-3 / 2e-3 - 1.0},
                            {"scale", 2}}));
}

}  // namespace
}  // namespace starling::trainer
