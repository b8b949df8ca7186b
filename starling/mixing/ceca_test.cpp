#include "starling/mixing/ceca.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/random.hpp"

#include "tests/support/worlds.hpp"

namespace starling::mixing {
namespace {

using starling::testing::Kind;
using ::testing::HasSubstr;
using topology::CecaPorts;
using topology::CecaSchedule;

using Models = std::vector<std::vector<float>>;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// x and y of all peers.
struct State {
  Models own;
  Models others;

  friend bool operator==(const State&, const State&) = default;
};

MixingOptions options_for(Peer& peer, std::uint64_t round) {
  return {.round = round, .deadline = peer.clock().in(std::chrono::seconds(20))};
}

/// Runs `rounds` rounds, cycle after cycle.
RunReport run(Kind kind,
              const CecaSchedule& schedule,
              State& state,
              std::uint64_t rounds,
              const MixingOptions& policy = {}) {
  const auto world = starling::testing::make_world(kind, {.peers = schedule.size()});
  return world->run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    const std::size_t rank = group.rank();
    for (std::uint64_t round = 0; round < rounds; ++round) {
      MixingOptions options = options_for(peer, round);
      options.not_finite = policy.not_finite;
      ceca_round({.own = state.own[rank], .others = state.others[rank]},
                 schedule.exchange(round % schedule.rounds(), rank),
                 group,
                 options);
    }
  });
}

Models random_models(std::size_t peers, std::size_t elements) {
  Models models(peers, std::vector<float>(elements));
  Random random(11);
  for (auto& model : models) {
    for (float& value : model) {
      value = static_cast<float>(random.normal());
    }
  }
  return models;
}

double mean_of(const Models& models, std::size_t element) {
  double sum = 0.0;
  for (const auto& model : models) {
    sum += double{model[element]};
  }
  return sum / static_cast<double>(models.size());
}

class CecaOn : public ::testing::TestWithParam<std::tuple<Kind, std::size_t, CecaPorts>> {
 protected:
  Kind kind() const { return std::get<0>(GetParam()); }

  std::size_t peers() const { return std::get<1>(GetParam()); }

  CecaPorts ports() const { return std::get<2>(GetParam()); }
};

TEST_P(CecaOn, ReachesTheMeanInOneCycleAtEverySize) {
  if (ports() == CecaPorts::one && peers() % 2 == 1) {
    EXPECT_THROW(CecaSchedule(peers(), ports()), ConfigError);
    return;
  }
  const CecaSchedule schedule(peers(), ports());
  for (const std::size_t elements :
       {std::size_t{0}, std::size_t{1}, peers() - 1, peers(), peers() + 1, std::size_t{1003}}) {
    const Models before = random_models(peers(), elements);
    State state{before, Models(peers(), std::vector<float>(elements, kNaN))};
    run(kind(), schedule, state, schedule.rounds()).or_throw();
    for (std::size_t k = 0; k < elements; ++k) {
      const double mean = mean_of(before, k);
      for (std::size_t i = 0; i < peers(); ++i) {
        // Four rounds, each rounds three times a number below 5.
        EXPECT_NEAR(state.own[i][k], mean, 12 * 5 * 6e-8);
        const double others =
            mean + (mean - double{before[i][k]}) / static_cast<double>(peers() - 1);
        EXPECT_NEAR(state.others[i][k], others, 12 * 5 * 6e-8);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All,
                         CecaOn,
                         ::testing::Combine(::testing::ValuesIn(starling::testing::all_kinds()),
                                            ::testing::Range<std::size_t>(2, 10),
                                            ::testing::Values(CecaPorts::one, CecaPorts::two)),
                         [](const auto& test) {
                           return to_string(std::get<0>(test.param)) + "_" +
                                  std::to_string(std::get<1>(test.param)) + "_ports_" +
                                  std::to_string(static_cast<int>(std::get<2>(test.param)));
                         });

TEST(Ceca, GivesTheSameBitsInEveryWorld) {
  const CecaSchedule schedule(7, CecaPorts::two);
  std::vector<State> ends;
  for (const Kind kind : starling::testing::all_kinds()) {
    State state{random_models(7, 33), random_models(7, 33)};
    run(kind, schedule, state, 10).or_throw();
    ends.push_back(std::move(state));
  }
  for (const State& end : ends) {
    EXPECT_EQ(end, ends.front());
  }
}

TEST(Ceca, MeansOfXAndYStayAndAgree) {
  const CecaSchedule schedule(6, CecaPorts::one);
  State state{random_models(6, 5), Models(6, std::vector<float>(5))};
  const Models before = state.own;
  run(Kind::threads, schedule, state, 7).or_throw();
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(mean_of(state.own, k), mean_of(before, k), 1e-6);
    EXPECT_NEAR(mean_of(state.others, k), mean_of(before, k), 1e-6);
  }
}

// Weights that sum to 1 but for a rounding would let the models of a long run grow or fade.
TEST(Ceca, EqualModelsStayAsTheyAreForever) {
  const CecaSchedule schedule(5, CecaPorts::two);  // 4 = 100 in binary: thirds and fifths
  const Models start(5, {1.0F, 0.1F, -3.0F});
  State state{start, Models(5, {0.0F, 0.0F, 0.0F})};
  run(Kind::threads, schedule, state, 300).or_throw();
  EXPECT_EQ(state.own, start);
  EXPECT_EQ(state.others, start);
}

TEST(Ceca, SendsOneMessageOfModelBytesARound) {
  const CecaSchedule schedule(6, CecaPorts::two);
  State state{random_models(6, 100), random_models(6, 100)};
  const RunReport report = run(Kind::threads, schedule, state, 6);
  report.or_throw();
  for (const PeerOutcome& outcome : report.peers) {
    EXPECT_EQ(outcome.meter.messages_sent, 6U);
    EXPECT_EQ(outcome.meter.payload_bytes_sent, 6U * 100U * sizeof(float));
  }
}

TEST(Ceca, StopNamesThePeerThatIsNotFinite) {
  const CecaSchedule schedule(4, CecaPorts::two);
  State state{random_models(4, 3), random_models(4, 3)};
  state.own[2][1] = kNaN;
  const RunReport report = run(Kind::threads, schedule, state, 2);
  ASSERT_EQ(report.culprit, 2U);
  EXPECT_THROW(report.or_throw(), NotFiniteError);
}

// n = 3 (10 in binary): x from i-1, then y from i-1 with m = 1.
TEST(Ceca, SkipPeerGoesOnWithWhatIsSound) {
  const CecaSchedule schedule(3, CecaPorts::two);
  State state{{{kNaN}, {2.0F}, {8.0F}}, {{0.0F}, {0.0F}, {0.0F}}};
  run(Kind::threads, schedule, state, 1, {.not_finite = NotFinite::skip_peer}).or_throw();
  EXPECT_EQ(state.own[0][0], 8.0F) << "takes what peer 2 sent for its own";
  EXPECT_EQ(state.others[0][0], 8.0F);
  EXPECT_EQ(state.own[1][0], 2.0F) << "nothing came from peer 0";
  EXPECT_EQ(state.others[1][0], 2.0F) << "y of an earlier cycle would be stale";
  EXPECT_EQ(state.own[2][0], 5.0F);
  EXPECT_EQ(state.others[2][0], 2.0F);
}

TEST(Ceca, SkipPeerReplacesAnOtherVectorThatIsNotFiniteInTheMiddleOfACycle) {
  const CecaSchedule schedule(3, CecaPorts::two);
  const auto world = starling::testing::make_world(Kind::threads, {.peers = 3});
  State state{{{1.0F}, {2.0F}, {8.0F}}, {{kNaN}, {3.0F}, {4.0F}}};
  world
      ->run([&](Peer& peer) {
        const Group group = Group::everyone(peer);
        MixingOptions options = options_for(peer, 1);
        options.not_finite = NotFinite::skip_peer;
        const MixingReport report =
            ceca_round({.own = state.own[group.rank()], .others = state.others[group.rank()]},
                       schedule.exchange(1, group.rank()),
                       group,
                       options);
        EXPECT_EQ(report.rejected, group.rank() == 2 ? 0U : 1U);
      })
      .or_throw();
  EXPECT_EQ(state.own[0][0], 4.0F);
  EXPECT_EQ(state.others[0][0], 4.0F);
  EXPECT_EQ(state.own[1][0], 2.0F) << "stays: y of peer 0 did not come";
  EXPECT_EQ(state.others[1][0], 3.0F);
  EXPECT_FLOAT_EQ(state.own[2][0], (2.0F * 8.0F + 3.0F) / 3.0F);
  EXPECT_EQ(state.others[2][0], 3.5F);
}

TEST(Ceca, WithoutAnySoundModelTheRunEnds) {
  const CecaSchedule schedule(2, CecaPorts::two);
  State state{{{kNaN}, {kNaN}}, {{0.0F}, {0.0F}}};
  const RunReport report =
      run(Kind::threads, schedule, state, 1, {.not_finite = NotFinite::skip_peer});
  ASSERT_FALSE(report.ok());
  EXPECT_THROW(report.or_throw(), NotFiniteError);
}

TEST(Ceca, ALostPeerIsNamedByThoseWhoMissIt) {
  const CecaSchedule schedule(4, CecaPorts::two);
  const auto world = starling::testing::make_world(Kind::threads, {.peers = 4});
  Models own = random_models(4, 3);
  Models others = own;
  const RunReport report = world->run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    const std::size_t rank = group.rank();
    if (rank == 1) {
      throw DataError("shard is unreadable");
    }
    ceca_round({.own = own[rank], .others = others[rank]},
               schedule.exchange(0, rank),
               group,
               options_for(peer, 0));
  });
  ASSERT_EQ(report.culprit, 1U);
  try {
    std::rethrow_exception(report.peers[2].error);  // which receives from 1
  } catch (const PeerLost& lost) {
    EXPECT_THAT(lost.what(), HasSubstr("shard is unreadable"));
  }
}

TEST(Ceca, CannotGoOnWithoutAPeer) {
  const CecaSchedule schedule(2, CecaPorts::two);
  const auto world = starling::testing::make_world(Kind::threads, {.peers = 2});
  const RunReport report = world->run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    std::vector<float> x{1.0F};
    std::vector<float> y{1.0F};
    MixingOptions options = options_for(peer, 0);
    options.on_loss = OnLoss::continue_;
    ceca_round({.own = x, .others = y}, schedule.exchange(0, group.rank()), group, options);
  });
  EXPECT_THROW(report.or_throw(), ContractError);
}

}  // namespace
}  // namespace starling::mixing
