#include "starling/trainer/handshake.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "starling/core/error.hpp"
#include "starling/peer/peer.hpp"

#include "tests/support/worlds.hpp"

namespace starling::trainer {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Kind;
using testing::make_world;
using namespace std::chrono_literals;

Layout network(std::vector<std::size_t> weight = {200, 2560}, ElementType type = ElementType::f32) {
  Layout layout;
  layout.append("fc.weight", std::move(weight), type);
  layout.append("fc.bias", {200});
  return layout;
}

Layout reordered() {
  Layout layout;
  layout.append("fc.bias", {200});
  layout.append("fc.weight", {200, 2560});
  return layout;
}

struct Outcome {
  std::vector<std::string> errors;  ///< by rank; empty: agreed
  RunReport report;
};

/// Runs the handshake with one layout a peer.
Outcome shake_hands(Kind kind, const std::vector<Layout>& layouts) {
  Outcome outcome;
  outcome.errors.resize(layouts.size());
  const auto world = make_world(kind, {.peers = layouts.size()});
  outcome.report = world->run([&](Peer& peer) {
    const Group everyone = Group::everyone(peer);
    try {
      agree_on_layout(everyone, layouts[everyone.rank()], peer.clock().in(10s));
    } catch (const ConfigError& error) {
      outcome.errors[everyone.rank()] = error.what();
    }
  });
  return outcome;
}

class Handshake : public ::testing::TestWithParam<Kind> {};

TEST_P(Handshake, EqualModelsAgreeAtEverySize) {
  for (std::size_t peers = 1; peers <= 9; ++peers) {
    const Outcome outcome = shake_hands(GetParam(), std::vector<Layout>(peers, network()));
    EXPECT_TRUE(outcome.report.ok()) << peers;
    EXPECT_THAT(outcome.errors, Each(IsEmpty())) << peers;
    std::uint64_t messages = 0;
    for (const PeerOutcome& peer : outcome.report.peers) {
      messages += peer.meter.messages_sent;
    }
    EXPECT_EQ(messages, 3 * (peers - 1)) << "every edge of the tree is used three times";
  }
}

TEST_P(Handshake, TheSameErrorReachesEveryPeerWhereverTheOddOneIs) {
  for (std::size_t peers = 2; peers <= 9; ++peers) {
    for (std::size_t odd = 1; odd < peers; ++odd) {
      std::vector<Layout> layouts(peers, network());
      layouts[odd] = network({100, 2560});
      const Outcome outcome = shake_hands(GetParam(), layouts);
      EXPECT_TRUE(outcome.report.ok());
      EXPECT_THAT(outcome.errors, Each(outcome.errors[0]));
      EXPECT_THAT(outcome.errors[0], HasSubstr("rank " + std::to_string(odd) + " has another"));
    }
  }
}

TEST_P(Handshake, AWrongShapeIsShown) {
  const Outcome outcome =
      shake_hands(GetParam(), {network(), network(), network({100, 2560}), network()});
  EXPECT_THAT(
      outcome.errors,
      Each(AllOf(
          HasSubstr("rank 2"), HasSubstr("fc.weight 100x2560"), HasSubstr("fc.weight 200x2560"))));
}

TEST_P(Handshake, AnotherOrderOfNamesIsShown) {
  const Outcome outcome = shake_hands(GetParam(), {network(), network(), reordered(), network()});
  EXPECT_THAT(outcome.errors, Each(AllOf(HasSubstr("rank 2"), HasSubstr("tensor 0 is fc.bias"))));
}

TEST_P(Handshake, AnotherTypeIsShown) {
  const Layout half = network({200, 2560}, ElementType::f16);
  const Outcome outcome = shake_hands(GetParam(), {network(), network(), network(), half});
  EXPECT_THAT(outcome.errors,
              Each(AllOf(HasSubstr("rank 3"), HasSubstr("f16 here"), HasSubstr("f32 there"))));
}

TEST_P(Handshake, TheLowestOfSeveralRanksIsNamed) {
  std::vector<Layout> layouts(9, network({100, 2560}));
  layouts[0] = network();
  layouts[1] = network();
  const Outcome outcome = shake_hands(GetParam(), layouts);
  EXPECT_THAT(outcome.errors, Each(HasSubstr("rank 2 has another")));
}

TEST_P(Handshake, APeerThatDoesNotComeIsNamed) {
  const auto world = make_world(GetParam(), {.peers = 3});
  const RunReport report = world->run([](Peer& peer) {
    if (peer.id().value == 2) {
      throw DataError("no data here");
    }
    agree_on_layout(Group::everyone(peer), network(), peer.clock().in(10s));
  });
  EXPECT_EQ(report.culprit, 2U);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    try {
      ASSERT_TRUE(report.peers[rank].error);
      std::rethrow_exception(report.peers[rank].error);
    } catch (const PeerLost& lost) {
      EXPECT_THAT(lost.what(), HasSubstr("no data here"));
    }
  }
}

TEST_P(Handshake, SomethingElseThanAHandshakeIsRefused) {
  const auto world = make_world(GetParam(), {.peers = 2});
  const RunReport report = world->run([](Peer& peer) {
    const Group everyone = Group::everyone(peer);
    if (everyone.rank() == 0) {
      const std::vector<float> noise(3);
      everyone.send(1, {Purpose::control, 0}, {}, Buffer::copy_of(noise), peer.clock().in(10s))
          .or_throw();
      return;
    }
    agree_on_layout(everyone, network(), peer.clock().in(10s));
  });
  ASSERT_TRUE(report.peers[1].error);
  try {
    std::rethrow_exception(report.peers[1].error);
  } catch (const PeerLost& lost) {
    EXPECT_EQ(lost.failure().kind, FailureKind::refused);
    EXPECT_THAT(lost.what(), HasSubstr("something else than a handshake"));
  }
}

INSTANTIATE_TEST_SUITE_P(On,
                         Handshake,
                         ::testing::ValuesIn(testing::all_kinds()),
                         [](const auto& kind) { return testing::to_string(kind.param); });

}  // namespace
}  // namespace starling::trainer
