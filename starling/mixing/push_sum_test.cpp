#include "starling/mixing/push_sum.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/random.hpp"
#include "starling/topology/catalog.hpp"

#include "tests/support/worlds.hpp"

namespace starling::mixing {
namespace {

using starling::testing::Kind;

struct State {
  std::vector<float> numerator;
  PushSum push_sum;

  double unbiased() const { return double{numerator[0]} / push_sum.weight(); }
};

/// Runs `rounds` rounds from `first` on and returns all states.
std::vector<State> push(Kind kind,
                        const topology::Topology& topology,
                        std::vector<float> start,
                        std::uint64_t first,
                        std::uint64_t rounds) {
  std::vector<State> states(start.size());
  const auto world = starling::testing::make_world(kind, {.peers = start.size()});
  world
      ->run([&](Peer& peer) {
        const Group group = Group::everyone(peer);
        State& state = states[group.rank()];
        state.numerator = {start[group.rank()]};
        for (std::uint64_t round = first; round < first + rounds; ++round) {
          state.push_sum.round(
              state.numerator,
              topology.row(round, group.rank()),
              group,
              {.round = round, .deadline = peer.clock().in(std::chrono::seconds(20))});
        }
      })
      .or_throw();
  return states;
}

std::vector<float> ramp(std::size_t peers) {
  std::vector<float> values(peers);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

class PushSumOn : public ::testing::TestWithParam<std::tuple<Kind, std::size_t>> {};

TEST_P(PushSumOn, KeepsTotalWeightAndTotalNumerator) {
  const auto [kind, peers] = GetParam();
  const auto star = topology::make_topology({.name = "star", .weights = "push", .peers = peers});
  const auto states = push(kind, *star, ramp(peers), 0, 20);
  double weight = 0.0;
  double numerator = 0.0;
  for (const State& state : states) {
    weight += state.push_sum.weight();
    numerator += double{state.numerator[0]};
  }
  const auto n = static_cast<double>(peers);
  // Weights are doubles: 20 rounds round each weight once a message.
  EXPECT_NEAR(weight, n, 20 * n * n * std::numeric_limits<double>::epsilon());
  EXPECT_NEAR(numerator, n * (n + 1) / 2, 20 * n * n * std::numeric_limits<float>::epsilon());
}

INSTANTIATE_TEST_SUITE_P(All,
                         PushSumOn,
                         ::testing::Combine(::testing::ValuesIn(starling::testing::all_kinds()),
                                            ::testing::Range<std::size_t>(1, 10)),
                         [](const auto& test) {
                           return to_string(std::get<0>(test.param)) + "_" +
                                  std::to_string(std::get<1>(test.param));
                         });

TEST(PushSum, OnePeerExponentialIsExactAfterAnyQRounds) {
  for (const std::size_t q : {1U, 2U, 3U}) {
    const std::size_t peers = std::size_t{1} << q;
    const auto topology = topology::make_topology({.name = "exponential", .peers = peers});
    for (std::uint64_t first = 0; first < q; ++first) {
      for (const State& state : push(Kind::threads, *topology, ramp(peers), first, q)) {
        EXPECT_EQ(state.unbiased(),
                  (static_cast<double>(peers) + 1.0) / 2.0);  // small integers: exact
        EXPECT_EQ(state.push_sum.weight(), 1.0);
      }
    }
  }
}

TEST(PushSum, IrregularDigraphConvergesToTheMeanWithUnevenWeights) {
  const auto star = topology::make_topology({.name = "star", .weights = "push", .peers = 5});
  const auto states = push(Kind::threads, *star, ramp(5), 0, 60);
  for (const State& state : states) {
    EXPECT_NEAR(state.unbiased(), 3.0, 1e-5);
  }
  EXPECT_GT(states[0].push_sum.weight(), 1.5);  // the hub hears everybody
  EXPECT_LT(states[1].push_sum.weight(), 1.0);
}

/// Column j says where rank j pushes: unequal out-links, and rank 0 comes back to the weight of its
/// first after another. Eighths, so that floats of small integers stay exact.
constexpr std::size_t kUneven = 4;
constexpr std::array<std::array<double, kUneven>, kUneven> kUnevenMatrix{{
    {0.25, 0.25, 0.125, 0.125},
    {0.125, 0.25, 0.0, 0.5},
    {0.5, 0.0, 0.625, 0.125},
    {0.125, 0.5, 0.25, 0.25},
}};

topology::MixingRow uneven_row(std::size_t rank) {
  topology::MixingRow row{.self_weight = kUnevenMatrix.at(rank).at(rank)};
  for (std::size_t other = 0; other < kUneven; ++other) {
    if (other == rank) {
      continue;
    }
    if (const double in = kUnevenMatrix.at(rank).at(other); in != 0.0) {
      row.receives.push_back({other, in});
    }
    if (const double out = kUnevenMatrix.at(other).at(rank); out != 0.0) {
      row.sends.push_back({other, out});
    }
  }
  return row;
}

/// P v, by hand.
std::array<double, kUneven> uneven_product(const std::array<double, kUneven>& v) {
  std::array<double, kUneven> product{};
  for (std::size_t to = 0; to < kUneven; ++to) {
    for (std::size_t from = 0; from < kUneven; ++from) {
      product.at(to) += kUnevenMatrix.at(to).at(from) * v.at(from);
    }
  }
  return product;
}

/// Pushes (rank + 1, -3 rank) over the uneven links for `rounds` rounds.
std::vector<State> push_unevenly(Kind kind, std::uint64_t rounds) {
  std::vector<State> states(kUneven);
  const auto world = starling::testing::make_world(kind, {.peers = kUneven});
  world
      ->run([&](Peer& peer) {
        const Group group = Group::everyone(peer);
        const auto rank = static_cast<float>(group.rank());
        State& state = states[group.rank()];
        state.numerator = {rank + 1.0F, -3.0F * rank};
        for (std::uint64_t round = 0; round < rounds; ++round) {
          state.push_sum.round(
              state.numerator,
              uneven_row(group.rank()),
              group,
              {.round = round, .deadline = peer.clock().in(std::chrono::seconds(20))});
        }
      })
      .or_throw();
  return states;
}

TEST(PushSum, LinksOfUnequalWeightsCarryTheSameShareOfModelAndWeight) {
  for (const Kind kind : starling::testing::all_kinds()) {
    std::array<double, kUneven> x{1.0, 2.0, 3.0, 4.0};
    std::array<double, kUneven> y{0.0, -3.0, -6.0, -9.0};
    std::array<double, kUneven> w{1.0, 1.0, 1.0, 1.0};
    for (std::uint64_t rounds = 1; rounds <= 5; ++rounds) {  // 3 bits a round: exact in float
      x = uneven_product(x);
      y = uneven_product(y);
      w = uneven_product(w);
      const std::vector<State> states = push_unevenly(kind, rounds);
      State total{.numerator = {0.0F, 0.0F}};
      double weight = 0.0;
      for (std::size_t rank = 0; rank < kUneven; ++rank) {
        const State& state = states[rank];
        EXPECT_EQ(double{state.numerator[0]}, x.at(rank)) << rank << " after " << rounds;
        EXPECT_EQ(double{state.numerator[1]}, y.at(rank)) << rank << " after " << rounds;
        EXPECT_EQ(state.push_sum.weight(), w.at(rank)) << rank << " after " << rounds;
        total.numerator[0] += state.numerator[0];
        total.numerator[1] += state.numerator[1];
        weight += state.push_sum.weight();
      }
      EXPECT_EQ(total.numerator, (std::vector<float>{10.0F, -18.0F}));
      EXPECT_EQ(weight, 4.0);
    }
  }
}

TEST(PushSum, LinksOfUnequalWeightsLeadToTheMean) {
  for (State& state : push_unevenly(Kind::threads, 60)) {
    std::vector<float> model(2);
    state.push_sum.debias(state.numerator, model);
    EXPECT_NEAR(model[0], 2.5, 1e-5);
    EXPECT_NEAR(model[1], -4.5, 1e-5);
    EXPECT_NE(state.push_sum.weight(), 1.0);
  }
}

TEST(PushSum, WeightsStayPositive) {
  PushSum push_sum;
  EXPECT_THROW(push_sum.set_weight(0.0), ContractError);
  EXPECT_THROW(push_sum.set_weight(-1.0), ContractError);
  EXPECT_THROW(push_sum.set_weight(std::numeric_limits<double>::quiet_NaN()), ContractError);
}

TEST(PushSum, AShareForALostPeerStaysAtHome) {
  const auto full = topology::make_topology({.name = "full", .peers = 3});
  std::vector<double> weights(3);
  const auto world = starling::testing::make_world(Kind::threads, {.peers = 3});
  world
      ->run([&](Peer& peer) {
        const Group group = Group::everyone(peer);
        if (group.rank() == 2) {
          return;
        }
        // Once peer 2 is known to be gone, nothing is sent to it: survivors keep their two units.
        const Tag tag{};
        EXPECT_FALSE(peer.receive(PeerId{2}, tag, peer.clock().in(std::chrono::seconds(20))));
        std::vector<float> x{6.0F};
        PushSum push_sum;
        push_sum.round(
            x,
            full->row(0, group.rank()),
            group,
            {.deadline = peer.clock().in(std::chrono::seconds(20)), .on_loss = OnLoss::continue_});
        EXPECT_NEAR(double{x[0]} / push_sum.weight(), 6.0, 1e-5);
        weights[group.rank()] = push_sum.weight();
      })
      .or_throw();
  EXPECT_NEAR(weights[0] + weights[1], 2.0, 1e-12);
}

TEST(PushSum, SkipPeerDropsTheMassThatIsNotFinite) {
  const auto full = topology::make_topology({.name = "full", .peers = 4});
  const auto world = starling::testing::make_world(Kind::threads, {.peers = 4});
  world
      ->run([&](Peer& peer) {
        const Group group = Group::everyone(peer);
        std::vector<float> x{group.rank() == 1 ? std::numeric_limits<float>::quiet_NaN() : 5.0F};
        PushSum push_sum;
        push_sum.round(x,
                       full->row(0, group.rank()),
                       group,
                       {.deadline = peer.clock().in(std::chrono::seconds(20)),
                        .not_finite = NotFinite::skip_peer});
        EXPECT_NEAR(double{x[0]} / push_sum.weight(), 5.0, 1e-5);
      })
      .or_throw();
}

TEST(PushSum, APeerThatHearsNobodyKeepsItsModelForEver) {
  // Peer 0 pushes half of what it has to peer 1 in every round and gets nothing back.
  const topology::MixingRow sender{.self_weight = 0.5, .receives = {}, .sends = {{1, 0.5}}};
  const topology::MixingRow receiver{.self_weight = 1.0, .receives = {{0, 0.5}}, .sends = {}};
  std::vector<double> weights(2);
  const auto world = starling::testing::make_world(Kind::threads, {.peers = 2});
  world
      ->run([&](Peer& peer) {
        const Group group = Group::everyone(peer);
        std::vector<float> x{3.0F};
        std::vector<float> z{0.0F};
        PushSum push_sum;
        for (std::uint64_t round = 0; round < 2000; ++round) {
          push_sum.round(x,
                         group.rank() == 0 ? sender : receiver,
                         group,
                         {.round = round, .deadline = peer.clock().in(std::chrono::seconds(20))});
        }
        push_sum.debias(x, z);
        EXPECT_FLOAT_EQ(z[0], 3.0F);
        weights[group.rank()] = push_sum.weight();
      })
      .or_throw();
  EXPECT_GT(weights[0], 0.0);
  EXPECT_EQ(weights[0] + weights[1], 2.0);
}

TEST(PushSum, AWeightThatIsNoNumberIsRefused) {
  const topology::MixingRow receiver{.self_weight = 1.0, .receives = {{0, 0.5}}, .sends = {}};
  for (const double weight : {std::numeric_limits<double>::quiet_NaN(), -1.0, 0.0}) {
    const auto world = starling::testing::make_world(Kind::threads, {.peers = 2});
    const RunReport report = world->run([&](Peer& peer) {
      const Group group = Group::everyone(peer);
      const Deadline deadline = peer.clock().in(std::chrono::seconds(20));
      std::vector<float> x{1.0F};
      if (group.rank() == 0) {
        const auto operation = static_cast<std::uint32_t>(stream_key("mixing/push-sum"));
        group
            .send(1,
                  Tag{Purpose::mixing, 0},
                  {.operation = operation, .weight = weight},
                  Buffer::copy_of(x),
                  deadline)
            .or_throw();
      } else {
        PushSum().round(x, receiver, group, {.deadline = deadline});
      }
    });
    EXPECT_THROW(report.or_throw(), NotFiniteError) << weight;
  }
}

}  // namespace
}  // namespace starling::mixing
