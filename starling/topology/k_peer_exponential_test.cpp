#include "starling/topology/k_peer_exponential.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/topology/catalog.hpp"
#include "starling/topology/spectral.hpp"

namespace starling::topology {
namespace {

using ::testing::HasSubstr;

constexpr double kRounding = 1e-12;  // sums of up to a hundred numbers below 1

std::shared_ptr<const Topology> graph(std::size_t k, std::size_t peers) {
  return make_topology({.name = "k-peer-exponential:" + std::to_string(k), .peers = peers});
}

double cycle_norm(const Topology& topology) {
  return consensus_norm(mixing_product(topology, 0, topology.period()));
}

// k = 2, n = 10: tau = 2, offsets 1, 2 and 3, 6, weight 1/3 each.
TEST(KPeerExponential, ReceivesFromTheMultiplesOfAPowerOfKPlusOne) {
  const auto ten = graph(2, 10);
  EXPECT_EQ(ten->period(), 2U);
  const double third = 1.0 / 3.0;
  EXPECT_EQ(ten->row(0, 1).receives, (std::vector<Link>{{0, third}, {9, third}}));
  EXPECT_EQ(ten->row(1, 1).receives, (std::vector<Link>{{5, third}, {8, third}}));
  EXPECT_EQ(ten->row(1, 1).sends, (std::vector<Link>{{4, third}, {7, third}}));
  EXPECT_EQ(make_topology({.name = "k-peer-exponential", .peers = 10})->row(1, 1), ten->row(1, 1))
      << "K = 2 if none is given";
}

/// floor(log_{k+1} n), by multiplication.
std::size_t floor_log(std::size_t n, std::size_t base) {
  std::size_t tau = 0;
  for (std::size_t power = base; power <= n; power *= base) {
    ++tau;
  }
  return tau;
}

TEST(KPeerExponential, ACycleLeavesTheFactorOfThePage) {
  for (std::size_t k = 1; k <= 4; ++k) {
    for (std::size_t n = 2; n <= 40; ++n) {
      const std::size_t used = std::min(k, n - 1);
      const auto topology = graph(k, n);
      const std::size_t tau = floor_log(n, used + 1);
      ASSERT_EQ(topology->period(), tau) << "k " << k << ", n " << n;
      const double power = std::pow(static_cast<double>(used + 1), static_cast<double>(tau));
      double largest = 0.0;
      for (std::size_t i = 1; i < n; ++i) {
        const double angle = std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
        largest = std::max(largest, std::abs(std::sin(power * angle) / (power * std::sin(angle))));
      }
      EXPECT_NEAR(cycle_norm(*topology), largest, kRounding) << "k " << k << ", n " << n;
      const bool is_power = power == static_cast<double>(n);
      EXPECT_EQ(cycle_norm(*topology) < kRounding, is_power)
          << "exact if and only if n = (k+1)^tau";
    }
  }
}

TEST(KPeerExponential, ManyPeersForFewAreTheFullGraph) {
  const auto five = graph(7, 5);
  EXPECT_EQ(five->period(), 1U);
  EXPECT_EQ(five->row(0, 2), make_topology({.name = "full", .peers = 5})->row(0, 2));
}

TEST(KPeerExponential, RefusesWhatIsNoDegree) {
  for (const char* name :
       {"k-peer-exponential:0", "k-peer-exponential:", "k-peer-exponential:2x"}) {
    try {
      make_topology({.name = name, .peers = 9});
      ADD_FAILURE() << name << " was made";
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr("expected a number K from 1")) << name;
    }
  }
}

}  // namespace
}  // namespace starling::topology
