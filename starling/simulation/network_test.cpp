// Times of transfers on the simulated networks, against the formulas they stand for.
#include <array>
#include <filesystem>
#include <fstream>

#include "starling/core/error.hpp"
#include "starling/simulation/platform.hpp"
#include "starling/simulation/sim_test_support.hpp"

namespace starling::simulation {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// SimGrid's clock has steps of its precision, a nanosecond; ours rounds to one.
constexpr double kTick = 2e-9;

/// Latency + bytes / bandwidth of a message with `payload` bytes.
double alpha_beta(double latency, double bits_per_second, double payload) {
  return latency + 8 * (payload + static_cast<double>(kMessageOverheadBytes)) / bits_per_second;
}

/// Virtual seconds until peer 1 has what peer 0 sends at once.
double time_of_one_message(const SimOptions& options, std::size_t bytes) {
  double arrived = 0.0;
  simulate(options, [&](Peer& peer) {
    if (peer.id() == PeerId{0}) {
      send(peer, {1}, 0, bytes);
    } else if (peer.id() == PeerId{1}) {
      receive(peer, {0});
      arrived = seconds(peer.clock().now());
    }
  }).or_throw();
  return arrived;
}

/// The six neighbours of a peer of a 4x4x4 torus.
std::array<PeerId, 6> neighbours(PeerId self) {
  std::array<PeerId, 6> found{};
  std::size_t stride = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint64_t at = self.value / stride % 4;
    found[2 * axis] = {self.value - at * stride + (at + 1) % 4 * stride};
    found[2 * axis + 1] = {self.value - at * stride + (at + 3) % 4 * stride};
    stride *= 4;
  }
  return found;
}

SimOptions torus() {
  return {.peers = 64, .platform = "torus:4x4x4:bandwidth=1e9:latency=1e-6"};
}

constexpr std::size_t kMegabyte = 1'000'000;

TEST(Torus, OneHopIsAlphaPlusBeta) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, kMegabyte}) {
    EXPECT_NEAR(time_of_one_message(torus(), bytes),
                alpha_beta(1e-6, 1e9, static_cast<double>(bytes)),
                kTick)
        << bytes << " bytes";
  }
}

TEST(Torus, SixNeighboursAtOnceTakeTheTimeOfOne) {
  const RunReport at_once = simulate(torus(), [](Peer& peer) {
    for (const PeerId other : neighbours(peer.id())) {
      send(peer, other, 0, kMegabyte);
    }
    for (const PeerId other : neighbours(peer.id())) {
      receive(peer, other);
    }
  });
  const RunReport in_turn = simulate(torus(), [](Peer& peer) {
    for (std::size_t port = 0; port < 6; ++port) {
      send(peer, neighbours(peer.id())[port], port, kMegabyte);
      receive(peer, neighbours(peer.id())[port ^ 1U]);
    }
  });
  const double one = alpha_beta(1e-6, 1e9, kMegabyte);
  EXPECT_NEAR(seconds(at_once.elapsed), one, kTick);
  EXPECT_NEAR(seconds(in_turn.elapsed), 6 * one, 6 * kTick);
}

TEST(Torus, TwoTransfersOverOneCableShareIt) {
  // 0 -> 1 and 0 -> 2 (two hops, the first over the same cable).
  const RunReport report = simulate(torus(), [](Peer& peer) {
    if (peer.id() == PeerId{0}) {
      send(peer, {1}, 0, kMegabyte);
      send(peer, {2}, 0, kMegabyte);
    } else if (peer.id() == PeerId{1} || peer.id() == PeerId{2}) {
      receive(peer, {0});
    }
  });
  // Both bear half the bandwidth; the second starts a hop's latency later.
  EXPECT_NEAR(seconds(report.elapsed), 2 * alpha_beta(0, 1e9, kMegabyte), 3e-6);
}

TEST(Torus, OppositeDirectionsDoNotShare) {
  const RunReport report =
      simulate({.peers = 2, .platform = "torus:2:bandwidth=1e9:latency=1e-6"}, [](Peer& peer) {
        send(peer, right_of(peer), 0, kMegabyte);
        receive(peer, left_of(peer));
      });
  EXPECT_NEAR(seconds(report.elapsed), alpha_beta(1e-6, 1e9, kMegabyte), kTick);
}

TEST(Torus, AByteMayStandForMany) {
  SimOptions scaled = torus();
  scaled.byte_scale = 1000;
  // The payload alone: a message still has 40 bytes around it.
  EXPECT_NEAR(time_of_one_message(scaled, 1000), alpha_beta(1e-6, 1e9, kMegabyte), kTick);
}

TEST(Lan, CarriesAGigabitATenthOfAMillisecondFar) {
  // 97 % of the bits are payload of TCP.
  EXPECT_NEAR(
      time_of_one_message({.peers = 2}, kMegabyte), alpha_beta(1e-4, 0.97e9, kMegabyte), kTick);
  EXPECT_NEAR(time_of_one_message({.peers = 2, .platform = "lan:latency=1ms:bandwidth=10M"}, 1000),
              alpha_beta(1e-3, 9.7e6, 1000),
              kTick);
}

TEST(Lan, ReceiversShareTheirLink) {
  const RunReport report = simulate({.peers = 5}, [](Peer& peer) {
    if (peer.id() != PeerId{0}) {
      return send(peer, {0}, 0, kMegabyte);
    }
    for (std::uint64_t other = 1; other < 5; ++other) {
      receive(peer, {other});
    }
  });
  EXPECT_NEAR(seconds(report.elapsed), 1e-4 + 4 * alpha_beta(0, 0.97e9, kMegabyte), 1e-6);
}

TEST(Wan, ThereAndBackTakesTwoLatencies) {
  double back = 0.0;
  simulate({.peers = 2, .platform = "wan:latency=30ms:bandwidth=100M"}, [&](Peer& peer) {
    if (peer.id() == PeerId{1}) {
      receive(peer, {0});
      return send(peer, {0}, 1, 1000);
    }
    send(peer, {1}, 0, 1000);
    receive(peer, {1});
    back = seconds(peer.clock().now());
  }).or_throw();
  EXPECT_NEAR(back, 2 * alpha_beta(0.030, 97e6, 1000), kTick);
}

TEST(Wan, FollowsTheLinksDrawnFromTheSeed) {
  const Platform wan = parse_platform("wan", 2);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const WanLink from = draw_wan_link(wan, seed, 0);
    const WanLink to = draw_wan_link(wan, seed, 1);
    const double bits = 0.97 * std::min(from.up, to.down);
    const double expected = alpha_beta((from.latency + to.latency) / 2, bits, 100'000);
    const SimOptions options{.peers = 2, .seed = seed, .platform = "wan"};
    EXPECT_NEAR(time_of_one_message(options, 100'000), expected, kTick) << "seed " << seed;
  }
}

/// A platform file that goes with the test.
class PlatformFile : public ::testing::Test {
 protected:
  ~PlatformFile() override { std::filesystem::remove(path_); }

  SimOptions options(const std::string& body, std::size_t peers) {
    std::ofstream(path_) << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
                            "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
                         << body << "</platform>\n";
    return {.peers = peers, .platform = path_};
  }

  std::string refusal(const std::string& body, std::size_t peers) {
    try {
      const SimWorld world(options(body, peers));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::string path_ = ::testing::TempDir() + "starling_" +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".xml";
};

constexpr const char* kCluster =
    "<cluster id=\"c\" prefix=\"host-\" suffix=\"\" radical=\"1-12\" speed=\"1Gf\" "
    "bw=\"125MBps\" lat=\"50us\"/>\n";

TEST_F(PlatformFile, GivesItsHostsToThePeers) {
  // SimGrid's own model: latency x 13.01, 97 % of the bandwidth, two links in a row.
  EXPECT_NEAR(time_of_one_message(options(kCluster, 12), kMegabyte),
              alpha_beta(13.01 * 1e-4, 0.97e9, kMegabyte),
              2e-5);
}

TEST_F(PlatformFile, WorksAgainAfterAnotherPlatform) {
  const double first = time_of_one_message(options(kCluster, 12), kMegabyte);
  time_of_one_message(torus(), 1000);
  EXPECT_EQ(time_of_one_message(options(kCluster, 12), kMegabyte), first);
}

TEST_F(PlatformFile, SpeedsAreRelativeToTheFastestHost) {
  const SimOptions two = options(
      "<zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"4Gf\"/><host id=\"b\" "
      "speed=\"1Gf\"/><link id=\"l\" bandwidth=\"1MBps\" latency=\"1ms\"/><route src=\"a\" "
      "dst=\"b\"><link_ctn id=\"l\"/></route></zone>\n",
      2);
  const RunReport report = simulate(two, [](Peer& peer) { peer.compute(1s, [] {}); });
  EXPECT_EQ(report.peers[0].ended, Time{1s});
  EXPECT_EQ(report.peers[1].ended, Time{4s});
}

TEST_F(PlatformFile, NeedsAHostForEveryPeer) {
  EXPECT_THAT(refusal(kCluster, 13),
              AllOf(HasSubstr(path_), HasSubstr("at least 13"), HasSubstr("found 12")));
}

TEST_F(PlatformFile, NeedsRoutes) {
  const std::string hosts =
      "<zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"1f\"/><host id=\"b\" speed=\"1f\"/>"
      "<host id=\"c\" speed=\"1f\"/><link id=\"l\" bandwidth=\"1MBps\" latency=\"1ms\"/>";
  EXPECT_THAT(refusal(hosts + "</zone>\n", 3), HasSubstr("no route"));
  EXPECT_THAT(
      refusal(hosts + "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone>\n", 3),
      AllOf(HasSubstr("no route"), HasSubstr("'a'"), HasSubstr("'c'")));
}

TEST_F(PlatformFile, MustBeAPlatform) {
  EXPECT_THAT(refusal("<nonsense/>\n", 1), HasSubstr(path_));
}

}  // namespace

}  // namespace starling::simulation
