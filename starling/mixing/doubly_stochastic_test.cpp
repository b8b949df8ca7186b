#include "starling/mixing/doubly_stochastic.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/error.hpp"
#include "starling/core/random.hpp"
#include "starling/core/span_math.hpp"
#include "starling/mixing/push_sum.hpp"
#include "starling/topology/catalog.hpp"

#include "tests/support/worlds.hpp"

namespace starling::mixing {
namespace {

using starling::testing::Kind;
using ::testing::HasSubstr;

using Models = std::vector<std::vector<float>>;

MixingOptions options_for(Peer& peer, std::uint64_t round) {
  return {.round = round, .deadline = peer.clock().in(std::chrono::seconds(20))};
}

/// Runs `rounds` rounds of `topology` on the models of all peers.
Models mix(Kind kind, const topology::Topology& topology, Models models, std::uint64_t rounds) {
  const auto world = starling::testing::make_world(kind, {.peers = models.size()});
  world
      ->run([&](Peer& peer) {
        const Group group = Group::everyone(peer);
        for (std::uint64_t round = 0; round < rounds; ++round) {
          mix_with_neighbours(models[group.rank()],
                              topology.row(round, group.rank()),
                              group,
                              options_for(peer, round));
        }
      })
      .or_throw();
  return models;
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

std::vector<double> mean_of(const Models& models) {
  std::vector<double> mean(models.front().size());
  for (const auto& model : models) {
    for (std::size_t k = 0; k < mean.size(); ++k) {
      mean[k] += model[k];
    }
  }
  for (double& value : mean) {
    value /= static_cast<double>(models.size());
  }
  return mean;
}

class MixOn : public ::testing::TestWithParam<std::tuple<Kind, std::size_t>> {
 protected:
  Kind kind() const { return std::get<0>(GetParam()); }

  std::size_t peers() const { return std::get<1>(GetParam()); }
};

TEST_P(MixOn, KeepsTheMean) {
  const auto ring = topology::make_topology({.name = "ring", .peers = peers()});
  const Models before = random_models(peers(), 17);
  const Models after = mix(kind(), *ring, before, 5);
  // Each round rounds three products and two sums of numbers below 4: error <= 5 * 5 * 4 * eps.
  const double tolerance = 100 * std::numeric_limits<float>::epsilon();
  const auto expected = mean_of(before);
  const auto found = mean_of(after);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(found[k], expected[k], tolerance);
  }
}

TEST_P(MixOn, FullReachesTheMeanInOneRound) {
  const auto full = topology::make_topology({.name = "full", .peers = peers()});
  const Models before = random_models(peers(), 5);
  const Models after = mix(kind(), *full, before, 1);
  const auto expected = mean_of(before);
  for (const auto& model : after) {
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_NEAR(model[k], expected[k], 1e-5);  // n roundings of numbers below 4
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All,
                         MixOn,
                         ::testing::Combine(::testing::ValuesIn(starling::testing::all_kinds()),
                                            ::testing::Range<std::size_t>(1, 10)),
                         [](const auto& test) {
                           return to_string(std::get<0>(test.param)) + "_" +
                                  std::to_string(std::get<1>(test.param));
                         });

TEST(Mix, ContractsTheSecondModeByBetaSquared) {
  // Along cos(2 pi i / 8), the slowest mode of the 1/3-ring, one round multiplies by beta = 0.8047.
  constexpr std::size_t kPeers = 8;
  const auto ring = topology::make_topology({.name = "ring", .peers = kPeers});
  Models models(kPeers, std::vector<float>(1));
  double before = 0.0;
  for (std::size_t i = 0; i < kPeers; ++i) {
    models[i][0] = static_cast<float>(std::cos(2.0 * std::numbers::pi * double(i) / kPeers));
    before += double{models[i][0]} * double{models[i][0]};
  }
  models = mix(Kind::threads, *ring, std::move(models), 1);
  double after = 0.0;
  for (const auto& model : models) {
    after += double{model[0]} * double{model[0]};
  }
  const double beta = 1.0 / 3.0 + 2.0 / 3.0 * std::cos(2.0 * std::numbers::pi / kPeers);
  EXPECT_NEAR(after / before, beta * beta, 1e-5);
}

TEST(Mix, SendsDegreeTimesModelBytes) {
  const auto ring = topology::make_topology({.name = "ring", .peers = 5});
  const auto world = starling::testing::make_world(Kind::threads, {.peers = 5});
  const RunReport report = world->run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    std::vector<float> model(100);
    mix_with_neighbours(model, ring->row(0, group.rank()), group, options_for(peer, 0));
  });
  report.or_throw();
  for (const PeerOutcome& outcome : report.peers) {
    EXPECT_EQ(outcome.meter.messages_sent, 2U);
    EXPECT_EQ(outcome.meter.payload_bytes_sent, 2U * 100U * sizeof(float));
  }
}

TEST(Mix, AnIdleRowSendsNothingAndChangesNothing) {
  const auto world = starling::testing::make_world(Kind::threads, {.peers = 1});
  const RunReport report = world->run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    std::vector<float> model{1.0F, std::numeric_limits<float>::quiet_NaN()};
    mix_with_neighbours(model, topology::MixingRow{}, group, options_for(peer, 0));
    EXPECT_EQ(model[0], 1.0F);
  });
  report.or_throw();
  EXPECT_EQ(report.peers[0].meter.messages_sent, 0U);
}

/// Runs one round of the full graph in which the body of some peers is replaced.
RunReport one_round(std::size_t peers,
                    const MixingOptions& policy,
                    const std::function<bool(Peer&, std::vector<float>&)>& prepare,
                    Models& models) {
  const auto full = topology::make_topology({.name = "full", .peers = peers});
  const auto world = starling::testing::make_world(Kind::threads, {.peers = peers});
  return world->run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    std::vector<float>& model = models[group.rank()];
    if (!prepare(peer, model)) {
      return;
    }
    MixingOptions options = policy;
    options.deadline = peer.clock().in(std::chrono::seconds(20));
    mix_with_neighbours(model, full->row(0, group.rank()), group, options);
  });
}

TEST(Mix, LossKeepsRowSum) {
  Models models(4, std::vector<float>{3.0F});
  const auto leave = [](Peer& peer, std::vector<float>&) { return peer.id() != PeerId{2}; };
  one_round(4, {.on_loss = OnLoss::continue_}, leave, models).or_throw();
  for (const auto& model : models) {
    EXPECT_FLOAT_EQ(model[0], 3.0F);
  }
}

TEST(Mix, LossStopsWithTheWordsOfTheFirst) {
  Models models(4, std::vector<float>{3.0F});
  const auto fail = [](Peer& peer, std::vector<float>&) -> bool {
    if (peer.id() == PeerId{2}) {
      throw DataError("shard is unreadable");
    }
    return true;
  };
  const RunReport report = one_round(4, {}, fail, models);
  ASSERT_EQ(report.culprit, 2U);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    if (rank == 2) {
      continue;
    }
    try {
      std::rethrow_exception(report.peers[rank].error);
    } catch (const PeerLost& lost) {
      EXPECT_THAT(lost.what(), HasSubstr("shard is unreadable"));
      EXPECT_EQ(lost.failure().culprit, PeerId{2});
      EXPECT_EQ(lost.code(), ExitCode::data);
    }
    EXPECT_EQ(models[rank][0], 3.0F);
  }
}

bool poison_peer_1(Peer& peer, std::vector<float>& model) {
  if (peer.id() == PeerId{1}) {
    model[0] = std::numeric_limits<float>::infinity();
  }
  return true;
}

TEST(Mix, SkipPeerLeavesOutWhatIsNotFinite) {
  Models models{{0.0F}, {0.0F}, {4.0F}, {8.0F}};
  one_round(4, {.not_finite = NotFinite::skip_peer}, poison_peer_1, models).or_throw();
  // The full graph weighs 1/4 each; peer 1's quarter stays at home, so peer 0 gets 0/2 + 4/4 + 8/4.
  EXPECT_FLOAT_EQ(models[0][0], 3.0F);
  EXPECT_FLOAT_EQ(models[1][0], 4.0F);  // its own model is replaced by the others' mean
  EXPECT_FLOAT_EQ(models[2][0], 4.0F);
  EXPECT_FLOAT_EQ(models[3][0], 5.0F);
}

TEST(Mix, StopNamesThePeerThatIsNotFinite) {
  Models models(3, std::vector<float>{1.0F});
  const RunReport report = one_round(3, {}, poison_peer_1, models);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.culprit, 1U);
  EXPECT_THROW(report.or_throw(), NotFiniteError);
}

TEST(Mix, DifferentSizesAreRefused) {
  Models models(3, std::vector<float>(4, 1.0F));
  models[1].resize(6);
  const RunReport report = one_round(
      3, {}, [](Peer&, std::vector<float>&) { return true; }, models);
  ASSERT_FALSE(report.ok());
  try {
    report.or_throw();
  } catch (const PeerLost& lost) {
    EXPECT_THAT(lost.what(), HasSubstr("16 bytes"));
    EXPECT_THAT(lost.what(), HasSubstr("24 bytes"));
  }
}

/// Two peers exchange in `rounds`, each in its own order of them, on the full graph.
RunReport exchange_in_rounds(const std::vector<std::vector<std::uint64_t>>& rounds,
                             OnLoss on_loss,
                             Models& models,
                             std::vector<std::size_t>& lost) {
  const auto full = topology::make_topology({.name = "full", .peers = 2});
  const auto world = starling::testing::make_world(Kind::threads, {.peers = 2});
  return world->run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    EarlyMessages early;
    for (const std::uint64_t round : rounds[group.rank()]) {
      MixingOptions options = options_for(peer, round);
      options.deadline = peer.clock().in(std::chrono::milliseconds(300));
      options.on_loss = on_loss;
      options.early = &early;
      lost[group.rank()] +=
          mix_with_neighbours(models[group.rank()], full->row(0, group.rank()), group, options)
              .lost;
    }
  });
}

TEST(Mix, AnotherRoundIsRefusedWithBothNumbers) {
  Models models(2, std::vector<float>{1.0F});
  std::vector<std::size_t> lost(2);
  const RunReport report = exchange_in_rounds({{4}, {5}}, OnLoss::stop, models, lost);
  try {
    report.or_throw();
    FAIL() << "rounds 4 and 5 were mixed";
  } catch (const PeerLost& failure) {
    EXPECT_EQ(failure.failure().kind, FailureKind::refused);
    EXPECT_THAT(failure.what(), HasSubstr("round 4"));
    EXPECT_THAT(failure.what(), HasSubstr("round 5"));
  }
}

TEST(Mix, AfterALossAMessageOfALaterRoundWaitsForItsTime) {
  // Peer 1 gives up round 0. Peer 0 finds round 1 instead, counts round 0 as lost and uses the
  // message when it gets there: both end with the mean of what they had in round 1.
  Models models{{1.0F}, {3.0F}};
  std::vector<std::size_t> lost(2);
  exchange_in_rounds({{0, 1}, {1}}, OnLoss::continue_, models, lost).or_throw();
  EXPECT_EQ(lost[0], 1U);
  EXPECT_EQ(lost[1], 0U);  // round 0 of peer 0 is late and dropped
  EXPECT_EQ(models[0][0], 2.0F);
  EXPECT_EQ(models[1][0], 2.0F);
}

TEST(Mix, ADeclinedMessageOfAnEarlierRoundIsNotTakenForThisOne) {
  const auto full = topology::make_topology({.name = "full", .peers = 2});
  const auto world = starling::testing::make_world(Kind::threads, {.peers = 2});
  world
      ->run([&](Peer& peer) {
        const Group group = Group::everyone(peer);
        EarlyMessages early;
        MixingOptions options = options_for(peer, 1);
        options.on_loss = OnLoss::continue_;
        options.not_finite = NotFinite::skip_peer;
        options.early = &early;
        std::vector<float> model{group.rank() == 0 ? 1.0F : 3.0F};
        if (group.rank() == 1) {  // round 0: nothing to offer, and nobody waits for it
          const auto operation = static_cast<std::uint32_t>(stream_key("mixing/doubly-stochastic"));
          group
              .send(0,
                    Tag{Purpose::mixing, 0},
                    {.operation = operation, .round = 0, .weight = 0.0},
                    {},
                    options.deadline)
              .or_throw();
        }
        const MixingReport report =
            mix_with_neighbours(model, full->row(0, group.rank()), group, options);
        EXPECT_EQ(report.rejected, 0U);
        EXPECT_EQ(model[0], 2.0F);
      })
      .or_throw();
}

TEST(Mix, AnotherOperationIsRefused) {
  const auto full = topology::make_topology({.name = "full", .peers = 2});
  const auto world = starling::testing::make_world(Kind::threads, {.peers = 2});
  const RunReport report = world->run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    std::vector<float> model{1.0F};
    if (group.rank() == 1) {
      PushSum().round(model, full->row(0, 1), group, options_for(peer, 0));
    } else {
      mix_with_neighbours(model, full->row(0, 0), group, options_for(peer, 0));
    }
  });
  EXPECT_THROW(report.or_throw(), PeerLost);
}

}  // namespace
}  // namespace starling::mixing
