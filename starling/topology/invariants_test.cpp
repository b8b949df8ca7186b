// What every topology promises, checked by writing out its matrices: families x peers x weight
// rules.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/topology/catalog.hpp"

namespace starling::topology {
namespace {

using Dense = std::vector<std::vector<double>>;

// Sums of at most 33 weights, each rounded once: far below 33 * 2^-53.
constexpr double kRounding = 1e-14;

// W(round) from the receiving sides; the diagonal from the self weights.
Dense written_out(const Topology& topology, std::uint64_t round) {
  Dense w(topology.size(), std::vector<double>(topology.size(), 0.0));
  for (std::size_t i = 0; i < topology.size(); ++i) {
    const MixingRow row = topology.row(round, i);
    w[i][i] = row.self_weight;
    for (const Link& link : row.receives) {
      w[i][link.rank] = link.weight;
    }
  }
  return w;
}

void expect_lists_in_order(const Topology& topology, const MixingRow& row, std::size_t rank) {
  for (const auto* links : {&row.receives, &row.sends}) {
    for (std::size_t k = 0; k < links->size(); ++k) {
      const Link& link = (*links)[k];
      EXPECT_LT(link.rank, topology.size());
      EXPECT_NE(link.rank, rank) << "nobody talks to itself";
      EXPECT_GT(link.weight, 0.0);
      if (k > 0) {
        EXPECT_LT((*links)[k - 1].rank, link.rank) << "by rank, each once";
      }
    }
  }
  EXPECT_GT(row.self_weight, 0.0);
}

// i sends to j with weight w exactly if j receives from i with weight w.
void expect_ends_agree(const Topology& topology, std::uint64_t round, const Dense& w) {
  std::size_t sent = 0;
  std::size_t received = 0;
  for (std::size_t j = 0; j < topology.size(); ++j) {
    const MixingRow row = topology.row(round, j);
    sent += row.sends.size();
    received += row.receives.size();
    for (const Link& link : row.sends) {
      EXPECT_EQ(w[link.rank][j], link.weight);
    }
  }
  EXPECT_EQ(sent, received);
}

void expect_sums(const Topology& topology, std::uint64_t round, const Dense& w) {
  for (std::size_t i = 0; i < w.size(); ++i) {
    double row_sum = 0.0;
    double column_sum = 0.0;
    for (std::size_t j = 0; j < w.size(); ++j) {
      row_sum += w[i][j];
      column_sum += w[j][i];
    }
    if (topology.traits().row_stochastic) {
      EXPECT_NEAR(row_sum, 1.0, kRounding) << round;
    }
    if (topology.traits().column_stochastic) {
      EXPECT_NEAR(column_sum, 1.0, kRounding) << round;
    }
  }
}

void expect_symmetric(const Dense& w) {
  for (std::size_t i = 0; i < w.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_EQ(w[i][j], w[j][i]) << i << ", " << j;
    }
  }
}

std::uint64_t rounds_to_check(const Topology& topology) {
  return topology.period() == 0 ? 8 : topology.period();
}

// Everybody hears of everybody if the rounds are repeated often enough.
void expect_connected(const Topology& topology) {
  const std::size_t n = topology.size();
  std::vector<std::vector<bool>> heard(n, std::vector<bool>(n, false));
  for (std::size_t i = 0; i < n; ++i) {
    heard[i][i] = true;
  }
  const std::vector<std::vector<bool>> all(n, std::vector<bool>(n, true));
  for (std::uint64_t round = 0; round < 4 * n + 8 && heard != all; ++round) {
    const auto before = heard;
    for (std::size_t i = 0; i < n; ++i) {
      for (const Link& link : topology.row(round, i).receives) {
        for (std::size_t k = 0; k < n; ++k) {
          if (before[link.rank][k]) {
            heard[i][k] = true;
          }
        }
      }
    }
  }
  EXPECT_EQ(heard, all) << "somebody never hears of somebody";
}

void expect_invariants(const Topology& topology, const std::string& rule) {
  const Traits traits = topology.traits();
  EXPECT_TRUE(rule == "push" || traits.row_stochastic);
  EXPECT_TRUE(rule != "push" || traits.column_stochastic);
  for (std::uint64_t round = 0; round < rounds_to_check(topology); ++round) {
    const Dense w = written_out(topology, round);
    for (std::size_t i = 0; i < topology.size(); ++i) {
      const MixingRow row = topology.row(round, i);
      expect_lists_in_order(topology, row, i);
      EXPECT_EQ(row, topology.row(round + topology.period(), i)) << "the period is true";
      EXPECT_EQ(row.is_idle(), row.receives.empty() && row.sends.empty());
    }
    expect_ends_agree(topology, round, w);
    expect_sums(topology, round, w);
    if (traits.symmetric) {
      expect_symmetric(w);
    }
  }
  expect_connected(topology);
}

class EveryTopology : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryTopology, KeepsItsPromisesForEveryNumberOfPeers) {
  std::size_t made = 0;
  for (std::size_t peers = 1; peers <= 33; ++peers) {
    for (const char* rule : {"auto", "uniform", "metropolis-hastings", "lazy", "push"}) {
      SCOPED_TRACE(std::to_string(peers) + " peers, weights " + rule);
      std::shared_ptr<const Topology> topology;
      try {
        topology = make_topology({.name = GetParam(), .weights = rule, .peers = peers, .seed = 3});
      } catch (const ConfigError& error) {
        // What does not exist for this n says for which n it does; whose weights are its own, which
        // rules it takes.
        const std::string text = error.what();
        EXPECT_TRUE(text.find("nearest") != std::string::npos ||
                    text.find("use --weights auto or lazy") != std::string::npos)
            << text;
        EXPECT_TRUE(std::string(rule) != "auto" || text.find("nearest") != std::string::npos)
            << text;
        continue;
      }
      ++made;
      EXPECT_EQ(topology->size(), peers);
      EXPECT_EQ(topology->name(), GetParam());
      expect_invariants(*topology, rule);
    }
  }
  EXPECT_GE(made, 5U * 5U) << "at least the powers of two from 1 to 16 exist for every family";
}

TEST_P(EveryTopology, OnePeerIsIdle) {
  const auto topology = make_topology({.name = GetParam(), .peers = 1});
  EXPECT_EQ(topology->row(5, 0), MixingRow{}) << "keeps all, sends nothing";
  EXPECT_TRUE(topology->row(0, 0).is_idle());
}

TEST_P(EveryTopology, TwoPeersShareEqually) {
  const auto topology = make_topology({.name = GetParam(), .peers = 2});
  EXPECT_EQ(written_out(*topology, 0), (Dense{{0.5, 0.5}, {0.5, 0.5}}));
}

TEST_P(EveryTopology, LazyIsHalfwayToTheIdentity) {
  const auto natural = make_topology({.name = GetParam(), .peers = 16});
  const auto lazy = make_topology({.name = GetParam(), .weights = "lazy", .peers = 16});
  for (std::uint64_t round = 0; round < rounds_to_check(*natural); ++round) {
    const Dense w = written_out(*natural, round);
    const Dense half = written_out(*lazy, round);
    for (std::size_t i = 0; i < 16; ++i) {
      for (std::size_t j = 0; j < 16; ++j) {
        EXPECT_NEAR(half[i][j], 0.5 * ((i == j ? 1.0 : 0.0) + w[i][j]), kRounding);
      }
    }
  }
}

std::vector<std::string> plain_names() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog()) {
    if (!entry.plain.empty()) {
      names.push_back(entry.plain);
    }
  }
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryTopology, ::testing::ValuesIn(plain_names()), test_name);

// Others first in rank order, the peer itself last: the order in which mixing adds.
TEST(Rows, SumToExactlyOne) {
  for (const std::string& name : plain_names()) {
    const auto topology = make_topology({.name = name, .peers = 16});
    for (std::size_t i = 0; i < 16; ++i) {
      const MixingRow row = topology->row(1, i);
      double sum = 0.0;
      for (const Link& link : row.receives) {
        sum += link.weight;
      }
      EXPECT_EQ(sum + row.self_weight, 1.0) << name << ", row " << i;
    }
  }
}

}  // namespace
}  // namespace starling::topology
