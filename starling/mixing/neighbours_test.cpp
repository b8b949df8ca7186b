// Whose numbers are not finite, in which tensor and what helps: what is said when a model is left
// out.
#include "starling/mixing/neighbours.hpp"

#include <limits>
#include <mutex>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/mixing/doubly_stochastic.hpp"
#include "starling/mixing/push_sum.hpp"
#include "starling/topology/catalog.hpp"

#include "tests/support/worlds.hpp"

namespace starling::mixing {
namespace {

using starling::testing::Kind;
using ::testing::HasSubstr;
using ::testing::StrEq;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint32_t kOperation = 77;

Layout two_tensors() {
  Layout layout;
  layout.append("fc.weight", {2});
  layout.append("fc.bias", {1});
  return layout;
}

class Rejections : public Observer {
 public:
  void on_event(const Event& event) override {
    if (const auto* rejected = std::get_if<ContributionRejected>(&event.what)) {
      const std::lock_guard lock(mutex_);
      seen.push_back(*rejected);
    }
  }

  std::vector<ContributionRejected> seen;  // read when the run is over

 private:
  std::mutex mutex_;
};

/// Peer 1 sends `model` with `weight` to peer 0, which collects it in round 5.
RunReport collect_from_peer_1(const std::vector<float>& model,
                              double weight,
                              NotFinite policy,
                              const Layout* layout,
                              Observer* observer = nullptr) {
  const auto world =
      starling::testing::make_world(Kind::threads, {.peers = 2, .observer = observer});
  return world->run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    const MixingOptions options{.round = 5,
                                .deadline = peer.clock().in(std::chrono::seconds(20)),
                                .not_finite = policy,
                                .layout = layout};
    Neighbours neighbours(group, options, kOperation, model.size());
    if (group.rank() == 1) {
      neighbours.offer(0, Buffer::copy_of(model), weight);
    } else {
      EXPECT_FALSE(neighbours.collect(1));
      EXPECT_EQ(neighbours.report().rejected, 1U);
    }
  });
}

/// What peer 0 says when it stops.
std::string words_of_peer_0(const RunReport& report) {
  try {
    std::rethrow_exception(report.peers.at(0).error);
  } catch (const NotFiniteError& error) {
    return error.what();
  }
}

TEST(Neighbours, StopNamesRoundPeerTensorAndWhatHelps) {
  const Layout layout = two_tensors();
  EXPECT_THAT(
      words_of_peer_0(collect_from_peer_1({1.0F, 2.0F, kNan}, 1.0, NotFinite::stop, &layout)),
      StrEq("round 5: the model of peer 1 is not finite in fc.bias; lower the learning "
            "rate or set --not-finite skip-peer"));
  EXPECT_THAT(
      words_of_peer_0(collect_from_peer_1({1.0F, kNan, kNan}, 1.0, NotFinite::stop, &layout)),
      HasSubstr("the model of peer 1 is not finite in fc.weight;"));
}

TEST(Neighbours, WithoutALayoutStopNamesTheElement) {
  EXPECT_THAT(
      words_of_peer_0(collect_from_peer_1({1.0F, 2.0F, kNan}, 1.0, NotFinite::stop, nullptr)),
      HasSubstr("the model of peer 1 is not finite at element 2;"));
}

TEST(Neighbours, AWeightIsNoTensor) {
  const Layout layout = two_tensors();
  EXPECT_THAT(words_of_peer_0(
                  collect_from_peer_1({1.0F, 2.0F, 3.0F}, double{kNan}, NotFinite::stop, &layout)),
              HasSubstr("the model of peer 1 is not finite at its weight;"));
}

TEST(Neighbours, TheEventNamesPeerAndTensor) {
  const Layout layout = two_tensors();
  Rejections rejections;
  collect_from_peer_1({1.0F, 2.0F, kNan}, 1.0, NotFinite::skip_peer, &layout, &rejections)
      .or_throw();
  ASSERT_EQ(rejections.seen.size(), 1U);
  EXPECT_EQ(rejections.seen[0].contributor, PeerId{1});
  EXPECT_EQ(rejections.seen[0].step, 5U);
  EXPECT_EQ(rejections.seen[0].tensor, "fc.bias");
  EXPECT_EQ(rejections.seen[0].policy, "skip-peer");
}

TEST(Neighbours, ALayoutOfAnotherSizeIsRefused) {
  const Layout layout = two_tensors();
  EXPECT_THROW(collect_from_peer_1({1.0F}, 1.0, NotFinite::stop, &layout).or_throw(),
               ContractError);
}

using Mix = void (*)(std::span<float>, const topology::MixingRow&, const Group&, MixingOptions);

void mix_gossip(std::span<float> model,
                const topology::MixingRow& row,
                const Group& group,
                MixingOptions options) {
  mix_with_neighbours(model, row, group, options);
}

void mix_push_sum(std::span<float> model,
                  const topology::MixingRow& row,
                  const Group& group,
                  MixingOptions options) {
  PushSum().round(model, row, group, options);
}

class EveryMixing : public ::testing::TestWithParam<Mix> {
 protected:
  /// One round, number 5, of two peers; the bias of the first `poisoned` is not a number.
  static RunReport one_round(std::size_t poisoned, Observer& observer) {
    static const Layout layout = two_tensors();
    const auto full = topology::make_topology({.name = "full", .peers = 2});
    const auto world =
        starling::testing::make_world(Kind::threads, {.peers = 2, .observer = &observer});
    return world->run([&](Peer& peer) {
      const Group group = Group::everyone(peer);
      std::vector<float> model{1.0F, 2.0F, group.rank() < poisoned ? kNan : 3.0F};
      GetParam()(model,
                 full->row(5, group.rank()),
                 group,
                 {.round = 5,
                  .deadline = peer.clock().in(std::chrono::seconds(20)),
                  .not_finite = NotFinite::skip_peer,
                  .layout = &layout});
    });
  }
};

INSTANTIATE_TEST_SUITE_P(All,
                         EveryMixing,
                         ::testing::Values(&mix_gossip, &mix_push_sum),
                         [](const auto& test) {
                           return test.param == &mix_gossip ? "gossip" : "push_sum";
                         });

TEST_P(EveryMixing, NamesTheTensorOfOnesOwnModel) {
  Rejections rejections;
  one_round(1, rejections).or_throw();
  ASSERT_EQ(rejections.seen.size(), 1U);
  EXPECT_EQ(rejections.seen[0].contributor, PeerId{0});
  EXPECT_EQ(rejections.seen[0].tensor, "fc.bias");
}

TEST_P(EveryMixing, WithoutAnyModelSaysWhichRoundPeerTensorAndWhatHelps) {
  Rejections rejections;
  EXPECT_THAT(words_of_peer_0(one_round(2, rejections)),
              StrEq("round 5: the model of peer 0 is not finite in fc.bias, and no neighbour "
                    "offered another; lower the learning rate"));
}

TEST(PushSum, WithoutAShareOfItsOwnAndWithoutNeighboursSaysSo) {
  // Peer 0 gives everything away and hears nobody: finite, but gone.
  const topology::MixingRow giver{.self_weight = 0.0, .receives = {}, .sends = {{1, 1.0}}};
  const topology::MixingRow taker{.self_weight = 1.0, .receives = {{0, 1.0}}, .sends = {}};
  const auto world = starling::testing::make_world(Kind::threads, {.peers = 2});
  const RunReport report = world->run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    std::vector<float> model{1.0F};
    PushSum().round(model,
                    group.rank() == 0 ? giver : taker,
                    group,
                    {.round = 5, .deadline = peer.clock().in(std::chrono::seconds(20))});
  });
  EXPECT_THAT(
      words_of_peer_0(report),
      StrEq("round 5: peer 0 keeps no share of its model, and no neighbour offered another; "
            "use weights that keep a share at home"));
}

}  // namespace
}  // namespace starling::mixing
