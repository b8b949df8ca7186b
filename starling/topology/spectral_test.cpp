#include "starling/topology/spectral.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"
#include "starling/topology/catalog.hpp"

namespace starling::topology {
namespace {

constexpr double kFourDigits = 5e-5;   // the pages give four digits
constexpr double kThreeDigits = 5e-4;  // or three
constexpr double kRounding = 1e-12;    // sums of up to a thousand numbers below 1

std::shared_ptr<const Topology> make(const std::string& name,
                                     std::size_t peers,
                                     std::uint64_t seed = 1) {
  return make_topology({.name = name, .peers = peers, .seed = seed});
}

double beta(const std::string& name, std::size_t peers) {
  return consensus_norm(mixing_matrix(*make(name, peers), 0));
}

double cycle_norm(const std::string& name, std::size_t peers, std::uint64_t first = 0) {
  const auto topology = make(name, peers);
  return consensus_norm(mixing_product(*topology, first, topology->period()));
}

TEST(ConsensusNorm, OfTheThirdsRing) {  // dsgd-unified, invariant 3: 1/3 + 2/3 cos(2 pi/n)
  const std::vector<std::pair<std::size_t, double>> page{{4, 0.3333},
                                                         {8, 0.8047},
                                                         {16, 0.9493},
                                                         {20, 0.9674},
                                                         {25, 0.9791},
                                                         {36, 0.9899},
                                                         {50, 0.9947},
                                                         {100, 0.9987}};
  for (const auto& [peers, value] : page) {
    EXPECT_NEAR(beta("ring", peers), value, kFourDigits) << peers;
    const double formula =
        1.0 / 3.0 + 2.0 / 3.0 * std::cos(2.0 * std::acos(-1.0) / static_cast<double>(peers));
    EXPECT_NEAR(beta("ring", peers), formula, kRounding) << peers;
  }
}

TEST(ConsensusNorm, OfTheFifthsTorus) {  // dsgd-unified, invariant 3
  EXPECT_NEAR(beta("torus:3x3", 9), 0.4, kFourDigits);
  EXPECT_NEAR(beta("torus:4x4", 16), 0.6, kFourDigits);
  EXPECT_NEAR(beta("torus:5x5", 25), 0.7236, kFourDigits);
  EXPECT_NEAR(beta("torus", 36), 0.8, kFourDigits);
}

TEST(ConsensusNorm, OfTheStaticExponentialGraph) {  // dsgd-ceca, T1
  for (std::size_t peers = 2; peers <= 64; peers += 2) {
    const double tau = std::ceil(std::log2(static_cast<double>(peers)));
    EXPECT_NEAR(beta("static-exponential", peers), 1.0 - 2.0 / (tau + 1.0), kRounding) << peers;
  }
  EXPECT_NEAR(beta("static-exponential", 25), 0.511, kThreeDigits);
  for (std::size_t peers = 3; peers <= 63; peers += 2) {
    const double tau = std::ceil(std::log2(static_cast<double>(peers)));
    EXPECT_LT(beta("static-exponential", peers), 1.0 - 2.0 / (tau + 1.0)) << peers;
  }
}

// Hypercube of q dimensions with weight 1/(q+1): eigenvalues (q + 1 - 2k)/(q + 1).
TEST(ConsensusNorm, OfTheHypercube) {
  EXPECT_NEAR(beta("hypercube", 16), 3.0 / 5.0, kRounding);
}

TEST(ConsensusNorm, OfTheFullGraphIsZero) {
  EXPECT_NEAR(beta("full", 33), 0.0, kRounding);
}

TEST(OnePeerExponential, IsExactAfterTauRoundsFromAnyRound) {  // dsgd-ceca, T2; sgp, invariant 3
  for (const std::size_t peers : {2U, 4U, 8U, 16U, 32U, 64U}) {
    for (std::uint64_t first = 0; first < 6; ++first) {
      EXPECT_NEAR(cycle_norm("exponential", peers, first), 0.0, kRounding) << peers;
    }
  }
}

TEST(OnePeerExponential, LeavesThisNormAfterACycle) {  // dsgd-ceca, invariants
  const std::vector<std::pair<std::size_t, double>> page{{3, 0.25},
                                                         {5, 0.202},
                                                         {6, 0.217},
                                                         {7, 0.125},
                                                         {12, 0.209},
                                                         {24, 0.207},
                                                         {33, 0.031},
                                                         {63, 0.016}};
  for (const auto& [peers, value] : page) {
    EXPECT_NEAR(cycle_norm("exponential", peers), value, kThreeDigits) << peers;
  }
}

TEST(OnePeerHypercube, IsExactAfterACycleFromAnyRound) {
  for (std::uint64_t first = 0; first < 4; ++first) {
    EXPECT_NEAR(cycle_norm("one-peer-hypercube", 16, first), 0.0, kRounding);
  }
}

// One edge of the list, uniformly drawn, its ends averaging: all |E| matrices.
std::vector<Matrix> pairwise_gossip(std::size_t peers,
                                    const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  std::vector<Matrix> matrices;
  for (const auto& [a, b] : edges) {
    Matrix w{peers, std::vector<double>(peers * peers, 0.0)};
    for (std::size_t i = 0; i < peers; ++i) {
      w.entries[i * peers + i] = 1.0;
    }
    for (const std::size_t i : {a, b}) {
      for (const std::size_t j : {a, b}) {
        w.entries[i * peers + j] = 0.5;
      }
    }
    matrices.push_back(std::move(w));
  }
  return matrices;
}

TEST(ConsensusRate, OfPairwiseGossip) {  // dsgd-unified, invariant 4
  std::vector<std::pair<std::size_t, std::size_t>> ring;
  std::vector<std::pair<std::size_t, std::size_t>> complete;
  for (std::size_t i = 0; i < 8; ++i) {
    ring.emplace_back(i, (i + 1) % 8);
    for (std::size_t j = 0; j < i; ++j) {
      complete.emplace_back(i, j);
    }
  }
  EXPECT_NEAR(1.0 - expected_contraction(pairwise_gossip(8, ring)), 0.03661, 5e-6);
  EXPECT_NEAR(1.0 - expected_contraction(pairwise_gossip(8, complete)), 1.0 / 7.0, kRounding);
}

TEST(ConsensusRate, OfOneMatrixIsOneLessTheSquaredNorm) {
  const std::vector<Matrix> one{mixing_matrix(*make("ring", 8), 0)};
  EXPECT_NEAR(expected_contraction(one), std::pow(beta("ring", 8), 2), kRounding);
}

// Every matching of the ranks left, pairs set in w. One rank of an odd number idles.
void enumerate_matchings(std::vector<std::size_t> left,
                         Matrix w,
                         double share,
                         std::vector<Matrix>& all) {
  if (left.size() <= 1) {
    all.push_back(std::move(w));
    return;
  }
  const std::size_t a = left.back();
  left.pop_back();
  for (std::size_t k = 0; k < left.size(); ++k) {
    Matrix paired = w;
    const std::size_t b = left[k];
    for (const auto& [i, j] : {std::pair(a, b), std::pair(b, a)}) {
      paired.entries[i * w.size + j] = share;
      paired.entries[i * w.size + i] = 1.0 - share;
    }
    std::vector<std::size_t> others = left;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    enumerate_matchings(std::move(others), std::move(paired), share, all);
  }
  if (left.size() % 2 == 0) {
    enumerate_matchings(left, w, share, all);
  }  // a idles
}

std::vector<Matrix> all_matchings(std::size_t peers, double share) {
  std::vector<std::size_t> ranks(peers);
  Matrix w{peers, std::vector<double>(peers * peers, 0.0)};
  for (std::size_t i = 0; i < peers; ++i) {
    ranks[i] = i;
    w.entries[i * peers + i] = 1.0;
  }
  std::vector<Matrix> all;
  enumerate_matchings(std::move(ranks), std::move(w), share, all);
  return all;
}

TEST(ConsensusRate, OfRandomMatchingIsItsClosedForm) {  // dsgd-unified, invariant 4
  EXPECT_EQ(all_matchings(8, 0.5).size(), 105U) << "7 * 5 * 3";
  EXPECT_EQ(all_matchings(7, 0.5).size(), 105U) << "7 idle ranks, 5 * 3 each";
  EXPECT_NEAR(1.0 - *make("random-matching", 8)->expected_contraction(), 4.0 / 7.0, kRounding);
  for (std::size_t peers = 2; peers <= 8; ++peers) {
    EXPECT_NEAR(*make("random-matching", peers)->expected_contraction(),
                expected_contraction(all_matchings(peers, 0.5)),
                kRounding)
        << peers;
    const auto lazy = make_topology({.name = "random-matching", .weights = "lazy", .peers = peers});
    EXPECT_NEAR(
        *lazy->expected_contraction(), expected_contraction(all_matchings(peers, 0.25)), kRounding)
        << peers;
  }
}

TEST(Describe, TellsWhatAFixedGraphDoes) {
  const Description ring = describe(*make("ring", 8));
  EXPECT_EQ(ring.name, "ring");
  EXPECT_EQ(ring.peers, 8U);
  EXPECT_EQ(ring.period, 1U);
  EXPECT_EQ(ring.sends_max, 2U);
  EXPECT_EQ(ring.sends_mean, 2.0);
  EXPECT_NEAR(ring.round_norm.value(), 0.8047, kFourDigits);
  EXPECT_NEAR(ring.period_norm.value(), 0.8047, kFourDigits);
  EXPECT_NEAR(ring.rate.value(), 1.0 - std::pow(ring.round_norm.value(), 2), kRounding);
  EXPECT_FALSE(ring.exact_after.has_value());
  EXPECT_EQ(describe(*make("full", 8)).exact_after, 1U);
  EXPECT_EQ(describe(*make("ring", 3)).exact_after, 1U);
  EXPECT_EQ(describe(*make("star", 5)).sends_max, 4U);
  EXPECT_EQ(describe(*make("star", 5)).sends_mean, 1.6);
}

TEST(Describe, TellsWhatAPeriodDoes) {
  const Description eight = describe(*make("exponential", 8));
  EXPECT_NEAR(eight.round_norm.value(), 1.0, kRounding)
      << "one round alone leaves two halves apart";
  EXPECT_NEAR(eight.period_norm.value(), 0.0, kRounding);
  EXPECT_NEAR(eight.rate.value(), 1.0, kRounding);
  EXPECT_EQ(eight.exact_after, 3U);
  EXPECT_FALSE(describe(*make("exponential", 6)).exact_after.has_value());
}

TEST(Describe, TellsTheExpectedRateOfDrawnRounds) {
  const Description drawn = describe(*make("random-matching", 8));
  EXPECT_EQ(drawn.period, 0U);
  EXPECT_NEAR(drawn.rate.value(), 4.0 / 7.0, kRounding);
  EXPECT_FALSE(drawn.round_norm.has_value());
}

TEST(Describe, TheGapIsThatOfARoundWhateverTheSchedule) {
  // ring: 2/3 (1 - cos(2 pi / 8)). Drawn pairs: p = 4/7. One-peer exponential on 12: the root of
  // the product over its period of 4; on 8 it is exact.
  EXPECT_NEAR(gap_of_round(describe(*make("ring", 8))).value(),
              2.0 / 3.0 * (1.0 - std::sqrt(0.5)),
              kRounding);
  EXPECT_NEAR(gap_of_round(describe(*make("random-matching", 8))).value(),
              1.0 - std::sqrt(3.0 / 7.0),
              kRounding);
  const Description twelve = describe(*make("exponential", 12));
  EXPECT_EQ(twelve.period, 4U);
  EXPECT_NEAR(
      std::pow(1.0 - gap_of_round(twelve).value(), 4), twelve.period_norm.value(), kRounding);
  EXPECT_EQ(gap_of_round(describe(*make("exponential", 8))), 1.0);
  EXPECT_FALSE(gap_of_round(describe(*make("ring", kSpectralLimit + 1))).has_value());
}

TEST(Describe, LeavesOutWhatMeansNothing) {
  const auto push = make_topology({.name = "path", .weights = "push", .peers = 4});
  EXPECT_FALSE(describe(*push).rate.has_value()) << "rows do not sum to 1";
  EXPECT_FALSE(describe(*make("ring", kSpectralLimit + 1)).round_norm.has_value());
}

// docs/topologies.md: the last column of the row `name`, for n = 16 and seed 1.
std::string documented(const std::string& name) {
  std::ifstream page(STARLING_SOURCE_DIR "/docs/topologies.md");
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("| `" + name + "` |", 0) != 0) {
      continue;
    }
    const std::size_t last = line.rfind("| ", line.size() - 2);
    return line.substr(last + 2, line.size() - last - 4);
  }
  return "no row for " + name;
}

TEST(Documentation, GivesTheGapsThatAreComputed) {
  for (const CatalogEntry& entry : catalog()) {
    if (entry.plain.empty()) {
      continue;
    }
    const Description sixteen = describe(*make(entry.plain, 16));
    std::array<char, 32> value{};
    std::snprintf(value.data(), value.size(), "%.4f", gap_of_round(sixteen).value());
    EXPECT_EQ(documented(entry.plain), value.data()) << entry.plain;
  }
}

TEST(Spectra, RefuseMorePeersThanTheLimit) {
  EXPECT_THROW(mixing_matrix(*make("ring", kSpectralLimit + 1), 0), ContractError);
}

}  // namespace
}  // namespace starling::topology
