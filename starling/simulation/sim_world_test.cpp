// The world as a whole: repeatability, time, limits, stalls, and the manners of a guest in a
// process.
#include "starling/simulation/sim_world.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include <unistd.h>

#include "starling/core/error.hpp"
#include "starling/peer/queue_room.hpp"
#include "starling/simulation/sim_test_support.hpp"

namespace starling::simulation {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Everybody sends to random peers and computes for random times; whoever gets a message writes
/// down who, when and what: any difference in order or time shows.
std::string trace_of_chaos(std::uint64_t seed) {
  std::ostringstream trace;
  const SimOptions options{.peers = 12,
                           .seed = seed,
                           .platform = "wan",
                           .faults =
                               "kill:0.2,slow:0.3x4,linkdown:0.3:500ms,delay:0.1:200ms,"
                               "pause:0.2:1s,window:4s",
                           .host_speeds = "0.5..2"};
  const RunReport report = simulate(options, [&](Peer& peer) {
    Random& random = peer.random("chaos");
    const auto listen = [&](Peer& self, std::stop_token stop) {
      while (!stop.stop_requested()) {
        const auto message = self.receive(kAnyPeer, kTag, in(self, 200ms));
        if (!message) {
          continue;
        }
        trace << self.id().value << '<' << message->from.value << ':' << message->stamp.round << '@'
              << self.clock().now().time_since_epoch().count() << '\n';
      }
    };
    const auto listener = peer.spawn("listener", listen);
    for (std::uint64_t round = 0; round < 60; ++round) {
      const PeerId to{(peer.id().value + 1 + random.below(11)) % 12};
      (void)peer.send(to, kTag, round_stamp(round), Buffer(random.below(50'000)), in(peer, 2s));
      peer.compute(from_seconds(0.2 * random.uniform()), [] {});
    }
  });
  for (const PeerOutcome& outcome : report.peers) {
    trace << words_of(outcome.error) << '@' << outcome.ended.time_since_epoch().count() << ' '
          << outcome.meter.messages_received << '\n';
  }
  trace << report.elapsed.count();
  return trace.str();
}

TEST(Determinism, SameSeedSameRunToTheNanosecond) {
  const std::string first = trace_of_chaos(7);
  EXPECT_GT(std::count(first.begin(), first.end(), '\n'), 300);
  EXPECT_EQ(first, trace_of_chaos(7));
  EXPECT_NE(first, trace_of_chaos(8));
}

TEST(Determinism, SameRunInAnotherProcess) {
  constexpr const char* kFileOfChild = "STARLING_TEST_TRACE_FILE";
  const std::string here = trace_of_chaos(7);
  if (const char* file = std::getenv(kFileOfChild)) {
    std::ofstream(file) << here;
    return;
  }
  const std::string file = ::testing::TempDir() + "starling_trace_" + std::to_string(getpid());
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command = std::string("env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX ") +
                              kFileOfChild + "='" + file + "' '" + self +
                              "' --gtest_filter=Determinism.SameRunInAnotherProcess >/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::ostringstream there;
  there << std::ifstream(file).rdbuf();
  std::filesystem::remove(file);
  EXPECT_EQ(here, there.str());
}

TEST(VirtualTime, ComputingCostsWhatItIsSaidToCost) {
  bool worked = false;
  const RunReport report =
      simulate({.peers = 2, .host_speeds = "4,1", .stragglers = "1x10"}, [&](Peer& peer) {
        peer.compute(2s, [&] {
          EXPECT_EQ(peer.clock().now(), Time{}) << "the work is done at the start";
          worked = true;
        });
        EXPECT_EQ(peer.meter().computing, peer.clock().now().time_since_epoch());
      });
  EXPECT_TRUE(worked);
  EXPECT_EQ(report.peers[0].ended, Time{500ms});
  EXPECT_EQ(report.peers[1].ended, Time{20s});
  EXPECT_EQ(report.elapsed, 20s);
}

TEST(VirtualTime, AYearTakesNoTime) {
  const RunReport report = simulate({.peers = 3}, [](Peer& peer) {
    for (int month = 0; month < 12; ++month) {
      peer.clock().sleep_for(720h);
    }
    send(peer, right_of(peer), 1);
    EXPECT_EQ(receive(peer, left_of(peer)), 1U);
  });
  report.or_throw();
  EXPECT_GE(report.elapsed, 12 * 720h);
  EXPECT_LE(report.elapsed, 12 * 720h + 1ms);
}

TEST(VirtualTime, WhatEndsBehindTheClockIsRefusedWhereItBegins) {
  // 250 years are 7.88e9 s.
  for (const auto& [speed, cost] : {std::pair{"1", 4e9}, std::pair{"1e-3", 4e6}}) {
    std::string refusal;
    int done = 0;
    simulate({.peers = 1, .host_speeds = speed}, [&, cost = cost](Peer& peer) {
      try {
        for (; done < 3; ++done) {
          peer.compute(from_seconds(cost), [] {});
        }
      } catch (const ConfigError& error) {
        refusal = error.what();
      }
    });
    EXPECT_EQ(done, 1) << speed;
    EXPECT_THAT(refusal, HasSubstr("peer 0 would compute until after 250 years")) << speed;
  }
}

TEST(VirtualTime, EveryRunStartsAtZero) {
  SimWorld world({.peers = 2});
  for (int run = 0; run < 3; ++run) {
    const RunReport report = world.run([](Peer& peer) {
      EXPECT_EQ(peer.clock().now(), Time{});
      peer.clock().sleep_for(1500ms);
    });
    EXPECT_EQ(report.elapsed, 1500ms) << "run " << run;
  }
}

TEST(VirtualTime, OvertakenMessagesKeepTheirOrder) {
  // The second is a thousandth as long and would arrive first.
  simulate({.peers = 2}, [](Peer& peer) {
    if (peer.id() == PeerId{0}) {
      send(peer, {1}, 1, 1'000'000);
      send(peer, {1}, 2, 1'000);
      return;
    }
    EXPECT_EQ(receive(peer, {0}), 1U);
    const Time first = peer.clock().now();
    EXPECT_EQ(receive(peer, {0}), 2U);
    EXPECT_EQ(peer.clock().now(), first) << "it had been there, waiting for its turn";
  }).or_throw();
}

TEST(VirtualTime, OtherTagsMayOvertake) {
  simulate({.peers = 2}, [](Peer& peer) {
    constexpr Tag kOther{Purpose::user, 1};
    if (peer.id() == PeerId{0}) {
      send(peer, {1}, 1, 1'000'000);
      peer.send({1}, kOther, round_stamp(2), Buffer(8), in(peer, 1h)).or_throw();
      return;
    }
    peer.receive(PeerId{0}, kOther, in(peer, 1h)).or_throw();
    EXPECT_LT(peer.clock().now(), Time{1ms});
    EXPECT_EQ(receive(peer, {0}), 1U);
    EXPECT_GT(peer.clock().now(), Time{8ms});
  }).or_throw();
}

TEST(VirtualTime, TheDirectoryIsFarAwayAndMayNotAnswer) {
  const SimOptions options{.peers = 200, .directory_delay = 80ms, .directory_loss = 0.25};
  std::size_t lost = 0;
  simulate(options, [&](Peer& peer) {
    const Time expires = Time{1h};
    const auto put =
        peer.directory().put("key", {to_string(peer.id()), "v", expires}, in(peer, 1s));
    if (put) {
      EXPECT_EQ(peer.clock().now(), Time{80ms});
    } else {
      ++lost;
      EXPECT_EQ(put.error().kind, FailureKind::deadline);
      EXPECT_EQ(peer.clock().now(), Time{1s});
    }
    EXPECT_EQ(failure_of(peer.directory().get("key", in(peer, 10ms))).kind, FailureKind::deadline)
        << "nearer than the directory";
  }).or_throw();
  // Binomial(200, 0.25): mean 50, standard deviation 6.1; five of them.
  EXPECT_NEAR(static_cast<double>(lost), 50, 31);
}

std::span<const std::byte> bytes_of(const std::vector<float>& values) {
  return std::as_bytes(std::span(values));
}

TEST(Posts, AreOverWhenTheyHaveArrived) {
  simulate({.peers = 2}, [](Peer& peer) {
    if (peer.id() == PeerId{1}) {
      peer.clock().sleep_for(1s);  // nobody reads yet
      EXPECT_EQ(receive(peer, {0}), 1U);
      EXPECT_EQ(receive(peer, {0}), 3U);
      return;
    }
    const std::vector<float> own(250'000);  // 8 ms
    peer.post({1}, kTag, round_stamp(1), bytes_of(own)).wait(in(peer, 500ms)).or_throw();
    EXPECT_GT(peer.clock().now(), Time{8ms});
    EXPECT_LT(peer.clock().now(), Time{10ms});
    Pending late = peer.post({1}, kTag, round_stamp(2), bytes_of(own));
    const Failure failure = failure_of(late.wait(in(peer, 1ms)));
    EXPECT_EQ(failure.kind, FailureKind::deadline);
    EXPECT_THAT(failure.what, HasSubstr("has not taken"));
    send(peer, {1}, 3);  // what was under way was taken back
  }).or_throw();
}

TEST(Posts, WithoutRoomAreOverWhenTheyAreRead) {
  simulate({.peers = 2}, [](Peer& peer) {
    if (peer.id() == PeerId{1}) {
      peer.clock().sleep_for(1s);
      for (std::uint64_t k = 0; k < QueueRoom::kMessagesMax + 2; ++k) {
        EXPECT_EQ(receive(peer, {0}), k);
      }
      return;
    }
    const std::vector<float> own(1);
    for (std::uint64_t k = 0; k < QueueRoom::kMessagesMax; ++k) {
      peer.post({1}, kTag, round_stamp(k), bytes_of(own)).wait(in(peer, 1h)).or_throw();
    }
    EXPECT_LT(peer.clock().now(), Time{1s});
    Pending one_more = peer.post({1}, kTag, round_stamp(64), bytes_of(own));
    EXPECT_FALSE(peer.post({1}, kTag, round_stamp(0), bytes_of(own)).wait(in(peer, 100ms)))
        << "taken back though it has arrived";
    send(peer, {1}, 65);  // what is sent has bounds of its own
    EXPECT_LT(peer.clock().now(), Time{1s});
    one_more.wait(in(peer, 1h)).or_throw();
    EXPECT_GE(peer.clock().now(), Time{1s});
  }).or_throw();
}

TEST(TimeLimit, EndsWhoeverStillRuns) {
  const RunReport report = simulate({.peers = 3, .time_limit = 5s}, [](Peer& peer) {
    if (peer.id() == PeerId{2}) {
      return;
    }
    for (;;) {
      peer.compute(1ms, [] {});
    }
  });
  EXPECT_EQ(report.elapsed, 5s);
  EXPECT_THAT(words_of(report.peers[0].error), HasSubstr("peer 0 was still running"));
  EXPECT_FALSE(report.peers[2].error);
}

TEST(Stall, IsReportedAtOnceWithWhoWaitsForWhom) {
  Recorder recorder;
  const RunReport report = simulate({.peers = 3, .observer = &recorder}, [](Peer& peer) {
    peer.clock().sleep_for(1s * static_cast<int>(peer.id().value));
    const Failure failure = failure_of(peer.receive(right_of(peer), kTag, in(peer, 24h)));
    EXPECT_EQ(failure.kind, FailureKind::deadline);
    EXPECT_THAT(failure.what, HasSubstr("nothing can run"));
    EXPECT_EQ(failure.peer, right_of(peer));
    EXPECT_EQ(peer.clock().now(), Time{2s});
  });
  EXPECT_EQ(report.elapsed, 2s);
  const auto stalls = recorder.all<Stalled>();
  ASSERT_THAT(stalls, SizeIs(1));
  EXPECT_EQ(stalls[0].first.time, Time{2s});
  EXPECT_EQ(stalls[0].second.waits,
            "peer 0 waits for peer 1 since 2 s\n"
            "peer 1 waits for peer 2 since 1 s\n"
            "peer 2 waits for peer 0 since 0 s\n");
  EXPECT_THAT(recorder.all<SlowPeer>(), IsEmpty()) << "nobody is slow";
}

TEST(Stall, OfPeersThatListenToAnyoneIsReported) {
  Recorder recorder;
  simulate({.peers = 3, .observer = &recorder}, [](Peer& peer) {
    EXPECT_THAT(failure_of(peer.receive(kAnyPeer, kTag, in(peer, 24h))).what,
                HasSubstr("nothing can run"));
  }).or_throw();
  ASSERT_THAT(recorder.all<Stalled>(), SizeIs(1));
  EXPECT_THAT(recorder.all<Stalled>()[0].second.waits, HasSubstr("from anyone"));
}

TEST(Stall, MessagesComputingAndFaultsToComeAreNone) {
  Recorder recorder;
  const SimOptions options{.peers = 2, .observer = &recorder, .faults = "linkdown:1:2s,window:0s"};
  simulate(options, [](Peer& peer) {
    peer.clock().sleep_for(1s);
    send(peer, right_of(peer), 1);  // held until the links are back
    EXPECT_EQ(receive(peer, left_of(peer)), 1U);
    EXPECT_GT(peer.clock().now(), Time{2s});
    if (peer.id() == PeerId{0}) {
      peer.compute(100s, [] {});
    }
    send(peer, right_of(peer), 2);
    EXPECT_EQ(receive(peer, left_of(peer)), 2U);
  }).or_throw();
  EXPECT_THAT(recorder.all<Stalled>(), IsEmpty());
}

TEST(Stall, NearDeadlinesAreLetCome) {
  // Peers that look now and then are not stalled: their time passes as they asked.
  Recorder recorder;
  simulate({.peers = 2, .observer = &recorder}, [](Peer& peer) {
    for (int look = 1; look <= 10; ++look) {
      EXPECT_FALSE(peer.receive(kAnyPeer, kTag, in(peer, 100ms)));
      EXPECT_EQ(peer.clock().now(), Time{look * 100ms});
    }
  }).or_throw();
  EXPECT_THAT(recorder.all<Stalled>(), IsEmpty());
}

TEST(Stall, WhoeverInsistsWaitsUntilTheDeadline) {
  // Time must go on even for those who ask again and again.
  const RunReport report = simulate({.peers = 2}, [](Peer& peer) {
    for (int attempt = 0; attempt < 100; ++attempt) {
      EXPECT_FALSE(peer.receive(kAnyPeer, kTag, in(peer, 10s)));
    }
  });
  report.or_throw();
  EXPECT_GT(report.elapsed, 100s);
}

TEST(Stall, WhoeverSpinsDoesNotStopTheOthers) {
  // On threads these loops cost a core; here they must not hold up the virtual time of peer 0.
  simulate({.peers = 3}, [](Peer& peer) {
    if (peer.id() == PeerId{2}) {
      return;
    }
    if (peer.id() == PeerId{0}) {
      return peer.clock().sleep_for(1s);
    }
    while (peer.clock().now() < Time{500ms}) {
      EXPECT_FALSE(peer.receive(PeerId{2}, kTag, in(peer, 1h))) << "it is gone";
    }
    while (peer.clock().now() < Time{800ms}) {
      EXPECT_FALSE(peer.receive(PeerId{0}, kTag, in(peer, 0s))) << "a look without patience";
    }
    while (peer.clock().now() < Time{2s}) {
      peer.clock().sleep_for(0s);
    }
  }).or_throw();
}

TEST(Stall, SendersWithoutRoomAreFreed) {
  const RunReport report = simulate({.peers = 2}, [](Peer& peer) {
    Failure failure;
    for (std::uint64_t k = 0;; ++k) {
      const auto sent = peer.send(right_of(peer), kTag, round_stamp(k), Buffer(8), in(peer, 24h));
      if (sent) {
        continue;
      }
      failure = sent.error();
      break;
    }
    EXPECT_THAT(failure.what, AllOf(HasSubstr("no room"), HasSubstr("nothing can run")));
  });
  report.or_throw();
  EXPECT_LT(report.elapsed, 1s);
}

TEST(Guest, LeavesSignalsAndStreamsAlone) {
  const auto own = [](int) {};
  std::signal(SIGINT, own);
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  simulate({.peers = 4, .faults = "kill:1,window:1s"}, [](Peer& peer) {
    for (;;) {
      send(peer, right_of(peer), 1);
      receive(peer, left_of(peer));
    }
  });
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(std::signal(SIGINT, SIG_DFL), static_cast<void (*)(int)>(own));
}

TEST(Guest, ExceptionsStayWithTheirPeers) {
  // All wait inside a catch block and leave in another order than they entered.
  simulate({.peers = 8}, [](Peer& peer) {
    const std::string own = "thrown by " + to_string(peer.id());
    try {
      throw std::runtime_error(own);
    } catch (const std::exception& error) {
      peer.clock().sleep_for(1s * static_cast<int>((peer.id().value * 5) % 8 + 1));
      try {
        throw std::runtime_error("inner");
      } catch (const std::exception&) {
        peer.clock().sleep_for(1s * static_cast<int>((peer.id().value * 3) % 8 + 1));
      }
      EXPECT_EQ(error.what(), own);
      try {
        throw;
      } catch (const std::exception& again) {
        EXPECT_EQ(again.what(), own);
      }
    }
  }).or_throw();
}

TEST(Guest, RefusesAWorldInsideAWorld) {
  const RunReport report =
      simulate({.peers = 1}, [](Peer&) { simulate({.peers = 1}, [](Peer&) {}); });
  EXPECT_THAT(words_of(report.peers[0].error), HasSubstr("one simulation at a time"));
}

TEST(Guest, OptionsOutOfRangeAreRefused) {
  EXPECT_THROW(SimWorld({.peers = 0}), ConfigError);
  EXPECT_THROW(SimWorld({.peers = 2, .slow_warning = 0s}), ConfigError);
  EXPECT_THROW(SimWorld({.peers = 2, .platform = "moon"}), ConfigError);
  EXPECT_THROW(SimWorld({.peers = 2, .faults = "kil:1"}), ConfigError);
  EXPECT_THROW(SimWorld({.peers = 2, .host_speeds = "fast"}), ConfigError);
  EXPECT_THROW(SimWorld({.peers = 2, .stragglers = "9x2"}), ConfigError);
  EXPECT_THROW(SimWorld({.peers = 2, .detection = 0s}), ConfigError);
  EXPECT_THROW(SimWorld({.peers = 2, .directory_loss = 1.5}), ConfigError);
  EXPECT_THROW(SimWorld({.peers = 2, .time_limit = -1s}), ConfigError);
  EXPECT_THROW(SimWorld({.peers = 2, .stack_bytes = 1}), ConfigError);
  EXPECT_THROW(SimWorld({.peers = 2, .byte_scale = 0}), ConfigError);
}

TEST(Guest, StacksAreAsLargeAsAskedFor) {
  const SimOptions options{.peers = 2, .stack_bytes = std::size_t{8} << 20U};
  simulate(options, [](Peer& peer) {
    volatile char room[6 << 20] = {};
    room[peer.id().value] = 1;
    send(peer, right_of(peer), room[peer.id().value]);
    EXPECT_EQ(receive(peer, left_of(peer)), 1U);
  }).or_throw();
}

}  // namespace

}  // namespace starling::simulation
