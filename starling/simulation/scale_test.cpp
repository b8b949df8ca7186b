// Thousands of actors: the smoke test of size.
#include <chrono>
#include <iostream>

#include <sys/resource.h>

#include "starling/simulation/sim_test_support.hpp"

namespace starling::simulation {

namespace {

TEST(Scale, FourThousandPeersExchange) {
  constexpr std::size_t kPeers = 4096;
  constexpr std::uint64_t kRounds = 24;
  const auto start = std::chrono::steady_clock::now();
  const RunReport report = simulate({.peers = kPeers}, [](Peer& peer) {
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const std::uint64_t hop = std::uint64_t{1} << (round % 12);
      send(peer, {(peer.id().value + hop) % kPeers}, round, 1000);
      ASSERT_EQ(receive(peer, {(peer.id().value + kPeers - hop) % kPeers}), round);
    }
  });
  report.or_throw();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto mebibytes = usage.ru_maxrss / 1024;
  std::cout << kPeers * kRounds << " messages, " << std::uint64_t(kPeers * kRounds / taken.count())
            << " a second, " << mebibytes << " MiB, virtual " << seconds(report.elapsed) << " s\n";
  // All exchange at once, so a round takes the time of one message.
  EXPECT_NEAR(seconds(report.elapsed), kRounds * (1e-4 + 8 * 1040 / 0.97e9), 1e-6);
#ifndef STARLING_SANITIZED
  EXPECT_LT(mebibytes, 512);
#endif
}

TEST(Scale, MemoryDoesNotGrowWithMessages) {
  const auto resident = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;  // KiB
  };
  const auto exchange = [](std::uint64_t rounds) {
    simulate({.peers = 16}, [rounds](Peer& peer) {
      for (std::uint64_t round = 0; round < rounds; ++round) {
        send(peer, right_of(peer), round, 100);
        receive(peer, left_of(peer));
      }
    }).or_throw();
  };
  exchange(500);
  const auto before = resident();
  exchange(10'000);  // 160,000 messages: 100 bytes kept of each would be 16 MB
  EXPECT_LT(resident() - before, 8 * 1024);
}

}  // namespace

}  // namespace starling::simulation
