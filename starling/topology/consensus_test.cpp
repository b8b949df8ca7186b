// How far the methods of the paper page are from consensus after some rounds: n = 25 and 130. A
// table of the same numbers stands in docs/algorithms/dsgd-ceca.md.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/random.hpp"
#include "starling/topology/catalog.hpp"
#include "starling/topology/ceca.hpp"

namespace starling::topology {
namespace {

using Vector = std::vector<double>;

constexpr std::uint64_t kSeeds = 100;

Vector normal_numbers(std::size_t peers, std::uint64_t seed) {
  Random random(stream_key("consensus"), seed);
  Vector x(peers);
  for (double& value : x) {
    value = random.normal();
  }
  return x;
}

/// ||x - mean||
double spread(const Vector& x) {
  double sum = 0.0;
  for (const double value : x) {
    sum += value;
  }
  const double mean = sum / static_cast<double>(x.size());
  double squares = 0.0;
  for (const double value : x) {
    squares += (value - mean) * (value - mean);
  }
  return std::sqrt(squares);
}

/// After `rounds` rounds from x ~ N(0, 1), mean over seeds, which also draw the graphs.
double error_after(const std::string& name, std::size_t peers, std::uint64_t rounds) {
  double sum = 0.0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto topology = make_topology({.name = name, .peers = peers, .seed = seed});
    Vector x = normal_numbers(peers, seed);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const Vector before = x;
      for (std::size_t i = 0; i < peers; ++i) {
        const MixingRow row = topology->row(round, i);
        x[i] = row.self_weight * before[i];
        for (const Link& link : row.receives) {
          x[i] += link.weight * before[link.rank];
        }
      }
    }
    sum += spread(x);
  }
  return sum / static_cast<double>(kSeeds);
}

double error_of_ceca(std::size_t peers, CecaPorts ports, std::size_t rounds) {
  const CecaSchedule schedule(peers, ports);
  double sum = 0.0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Vector x = normal_numbers(peers, seed);
    Vector y = x;
    for (std::size_t round = 0; round < rounds; ++round) {
      const Vector old_x = x;
      const Vector old_y = y;
      for (std::size_t i = 0; i < peers; ++i) {
        const CecaExchange exchange = schedule.exchange(round, i);
        const double c = exchange.sends_model ? old_x[exchange.from] : old_y[exchange.from];
        x[i] += exchange.model_share * (c - old_x[i]);
        y[i] += exchange.other_share * (c - old_y[i]);
      }
    }
    sum += spread(x);
  }
  return sum / static_cast<double>(kSeeds);
}

// Numbers near 1, some tens of roundings each; of 130 of them the norm.
constexpr double kExact = 1e-13;

// The page's means are of five draws, which spread.
void expect_about(double found, double page, double factor, const char* what) {
  EXPECT_LT(found, page * factor) << what;
  EXPECT_GT(found, page / factor) << what;
}

TEST(Consensus, OfTwentyFivePeers) {
  EXPECT_GT(error_of_ceca(25, CecaPorts::two, 4), 0.5);
  EXPECT_LT(error_of_ceca(25, CecaPorts::two, 5), kExact);
  EXPECT_GT(error_after("base:2", 25, 5), 0.1);
  EXPECT_LT(error_after("base:2", 25, 6), kExact);
  EXPECT_GT(error_after("base:1", 25, 8), 0.1);
  EXPECT_LT(error_after("base:1", 25, 9), kExact);
  expect_about(error_after("exponential", 25, 5), 0.295, 1.2, "one-peer exponential, 5 rounds");
  expect_about(error_after("exponential", 25, 9), 0.089, 1.5, "one-peer exponential, 9 rounds");
  expect_about(error_after("od-equidyn:eta=0.5", 25, 9), 0.18, 1.5, "OD-EquiDyn, 9 rounds");
  expect_about(error_after("ring", 25, 9), 1.08, 1.2, "ring, 9 rounds");
}

TEST(Consensus, OfAHundredAndThirtyPeers) {
  EXPECT_GT(error_of_ceca(130, CecaPorts::two, 7), 0.5);
  EXPECT_LT(error_of_ceca(130, CecaPorts::two, 8), kExact);
  EXPECT_GT(error_of_ceca(130, CecaPorts::one, 7), 0.5);
  EXPECT_LT(error_of_ceca(130, CecaPorts::one, 8), kExact);
  EXPECT_GT(error_after("base:2", 130, 8), 0.1);
  EXPECT_LT(error_after("base:2", 130, 9), kExact);
  EXPECT_GT(error_after("base:1", 130, 13), 0.1);
  EXPECT_LT(error_after("base:1", 130, 14), kExact);
  expect_about(error_after("exponential", 130, 8), 0.083, 1.2, "one-peer exponential, 8 rounds");
  expect_about(error_after("od-equidyn:eta=0.5", 130, 8), 0.85, 1.5, "OD-EquiDyn, 8 rounds");
  expect_about(error_after("ring", 130, 8), 3.5, 1.2, "ring, 8 rounds");
}

}  // namespace
}  // namespace starling::topology
