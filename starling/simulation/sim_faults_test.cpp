// Every kind of fault as the peers see it.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "starling/core/error.hpp"
#include "starling/simulation/sim_test_support.hpp"

namespace starling::simulation {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// A world whose faults stand in a file.
class Faults : public ::testing::Test {
 protected:
  ~Faults() override { std::filesystem::remove(path_); }

  SimOptions options(std::size_t peers, const std::string& faults) {
    std::ofstream(path_) << faults;
    return {.peers = peers, .observer = &recorder_, .faults = path_};
  }

  Recorder recorder_;
  std::string path_ = ::testing::TempDir() + "starling_sim_" +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml";
};

const std::string kKill = "[[fault]]\nkind = \"kill\"\npeer = 1\nfrom = 2.0\n";

TEST_F(Faults, DeathIsNoticedAfterTheDetectionTimeByName) {
  const RunReport report = simulate(options(3, kKill), [](Peer& peer) {
    if (peer.id() == PeerId{1}) {
      return peer.clock().sleep_for(1h);
    }
    const Failure failure = failure_of(peer.receive(PeerId{1}, kTag, in(peer, 1h)));
    EXPECT_EQ(failure.kind, FailureKind::lost);
    EXPECT_EQ(failure.peer, PeerId{1});
    EXPECT_EQ(failure.culprit, PeerId{1});
    EXPECT_EQ(failure.message(), "host of peer 1 went off at 2 s");
    EXPECT_EQ(peer.clock().now(), Time{3s});
    EXPECT_EQ(failure_of(peer.send({1}, kTag, {}, Buffer(8), in(peer, 1h))).kind,
              FailureKind::lost);
  });
  EXPECT_EQ(report.culprit, 1U);
  EXPECT_EQ(words_of(report.peers[1].error), "host of peer 1 went off at 2 s");
  EXPECT_EQ(report.peers[1].ended, Time{2s});
  EXPECT_FALSE(report.peers[0].error);
  const auto gone = recorder_.all<PeerGone>();
  ASSERT_THAT(gone, SizeIs(1));
  EXPECT_EQ(gone[0].second.peer, PeerId{1});
}

TEST_F(Faults, TheReportTellsWhichHappened) {
  const RunReport report =
      simulate(options(3,
                       kKill + "[[fault]]\nkind = \"kill\"\npeer = 2\nfrom = 2.5\n"
                               "[[fault]]\nkind = \"pause\"\npeer = 0\nfrom = 9.0\nuntil = 10.0\n"),
               [](Peer& peer) { peer.clock().sleep_for(peer.id() == PeerId{2} ? 1s : 3s); });
  EXPECT_THAT(report.notes,
              ::testing::ElementsAre("faults: 1 of 3 happened before the run ended at 3 s (kill 1 "
                                     "of 2, pause 0 of 1)"))
      << "peer 2 had ended before its host went off";
}

TEST(DrawnFaults, SpanWhatIsKnownOfTheRun) {
  // 10 s of computing and 100 messages of 0.1 s: all hosts go off within 20 s, some behind 10 s.
  const SimOptions options{.peers = 40,
                           .seed = 7,
                           .platform = "lan:latency=0.1",
                           .faults = "kill:1",
                           .forecast = {.computing = 10s, .exchanges = 100.0}};
  const RunReport report = simulate(options, [](Peer& peer) { peer.clock().sleep_for(1h); });
  Time last{};
  for (const PeerOutcome& outcome : report.peers) {
    EXPECT_LE(outcome.ended, Time{20s});
    last = std::max(last, outcome.ended);
  }
  EXPECT_GT(last, Time{15s});  // all 40 below it: a chance of 0.75^40, 1e-5
  EXPECT_THAT(report.notes, ::testing::Contains(HasSubstr("kill 40 of 40")));
}

TEST_F(Faults, SurvivorsThatCannotGoOnNameTheDead) {
  const RunReport report = simulate(options(4, kKill), [](Peer& peer) {
    for (std::uint64_t round = 0;; ++round) {
      peer.compute(300ms, [] {});
      send(peer, right_of(peer), round);
      EXPECT_EQ(receive(peer, left_of(peer)), round);
    }
  });
  EXPECT_EQ(report.culprit, 1U);
  for (const PeerOutcome& outcome : report.peers) {
    EXPECT_EQ(words_of(outcome.error), "host of peer 1 went off at 2 s");
    EXPECT_LT(outcome.ended, Time{5s});
  }
}

TEST_F(Faults, WhatHadArrivedStaysReadable) {
  simulate(options(2, kKill), [](Peer& peer) {
    if (peer.id() == PeerId{1}) {
      send(peer, {0}, 1);
      peer.clock().sleep_for(1999ms);
      send(peer, {0}, 2, 10'000'000);  // 80 ms of transfer: cut off by its sender's death
      peer.clock().sleep_for(1h);
      return;
    }
    peer.clock().sleep_for(10s);
    EXPECT_EQ(receive(peer, {1}), 1U);
    EXPECT_EQ(failure_of(peer.receive(PeerId{1}, kTag, in(peer, 1h))).kind, FailureKind::lost);
    EXPECT_EQ(peer.clock().now(), Time{10s});
  });
}

TEST_F(Faults, TheDeadUnwind) {
  struct Guard {
    int* unwound;

    ~Guard() { ++*unwound; }
  };

  int unwound = 0;
  const RunReport report = simulate(options(2, kKill), [&](Peer& peer) {
    const Guard main{&unwound};
    const std::vector<float> lent(100);
    const Pending pending = peer.post(right_of(peer), kTag, {}, std::as_bytes(std::span(lent)));
    const auto activity = peer.spawn("helper", [&](Peer& self, std::stop_token) {
      const Guard helper{&unwound};
      self.clock().sleep_for(1h);
    });
    if (peer.id() == PeerId{1}) {
      peer.compute(1h, [] {});
    }
  });
  EXPECT_EQ(unwound, 4);
  EXPECT_EQ(report.peers[1].ended, Time{2s});
}

TEST_F(Faults, APostToTheDeadFails) {
  simulate(options(2, kKill), [](Peer& peer) {
    if (peer.id() == PeerId{1}) {
      return peer.clock().sleep_for(1h);
    }
    peer.clock().sleep_for(2500ms);  // dead, but nobody knows
    const std::vector<float> lent(100);
    Pending pending = peer.post({1}, kTag, {}, std::as_bytes(std::span(lent)));
    const Failure failure = failure_of(pending.wait(in(peer, 1h)));
    EXPECT_EQ(failure.kind, FailureKind::lost);
    EXPECT_EQ(failure.message(), "host of peer 1 went off at 2 s");
    EXPECT_EQ(peer.clock().now(), Time{3s});
    EXPECT_FALSE(peer.post({1}, kTag, {}, std::as_bytes(std::span(lent))).wait(in(peer, 1h)));
  });
}

TEST_F(Faults, AFinishedPeerCannotDie) {
  const RunReport report = simulate(options(2, kKill), [](Peer& peer) {
    if (peer.id() == PeerId{0}) {
      peer.clock().sleep_for(10s);
    }
  });
  EXPECT_TRUE(report.ok());
}

TEST_F(Faults, AReturnedHostStartsAnew) {
  SimWorld world(options(2, kKill + "until = 5.0\n"));
  std::vector<Time> starts;
  const RunReport report = world.run([&](Peer& peer) {
    if (peer.id() == PeerId{1}) {
      starts.push_back(peer.clock().now());
      if (world.incarnation({1}) == 0) {
        send(peer, {0}, 1);
        return peer.clock().sleep_for(1h);
      }
      EXPECT_EQ(receive(peer, {0}), 7U);
      return send(peer, {0}, 2);
    }
    EXPECT_EQ(receive(peer, {1}), 1U);
    EXPECT_EQ(failure_of(peer.receive(PeerId{1}, kTag, in(peer, 1h))).kind, FailureKind::lost);
    peer.clock().sleep_for(3s);  // it is back
    send(peer, {1}, 7);
    EXPECT_EQ(receive(peer, {1}), 2U);
  });
  report.or_throw();
  EXPECT_THAT(starts, ::testing::ElementsAre(Time{}, Time{5s}));
  EXPECT_EQ(world.incarnation({1}), 1U);
  EXPECT_EQ(world.incarnation({0}), 0U);
}

TEST_F(Faults, AShortAbsenceIsNotNoticed) {
  SimWorld world(options(2, kKill + "until = 2.5\n"));
  world
      .run([&](Peer& peer) {
        if (peer.id() == PeerId{1}) {
          if (world.incarnation({1}) == 0) {
            return peer.clock().sleep_for(1h);
          }
          return send(peer, {0}, 2);
        }
        EXPECT_EQ(receive(peer, {1}), 2U) << "the wait outlasts the absence";
        EXPECT_GT(peer.clock().now(), Time{2500ms});
      })
      .or_throw();
}

TEST_F(Faults, AReturnedHostFindsNothingThatHadOvertaken) {
  // When the host goes off, a short message has arrived and waits for its turn behind a long one.
  SimWorld world(options(2, kKill + "until = 2.5\n"));
  world
      .run([&](Peer& peer) {
        if (peer.id() == PeerId{1}) {
          if (world.incarnation({1}) == 0) {
            return peer.clock().sleep_for(1h);
          }
          EXPECT_EQ(receive(peer, {0}), 3U);
          return;
        }
        peer.clock().sleep_for(1990ms);
        send(peer, {1}, 1, 10'000'000);
        send(peer, {1}, 2);
        peer.clock().sleep_for(1s);
        send(peer, {1}, 3);
      })
      .or_throw();
}

TEST_F(Faults, ALinkThatIsDownHoldsMessagesBack) {
  const std::string faults = "[[fault]]\nkind = \"link-down\"\npeer = 1\nfrom = 1.0\nuntil = 4.0\n";
  std::vector<Time> arrivals(3);
  simulate(options(3, faults), [&](Peer& peer) {
    if (peer.id() == PeerId{0}) {
      peer.clock().sleep_for(990ms);
      send(peer, {1}, 1, 10'000'000);  // under way when the link fails: 80 ms from the start again
      peer.clock().sleep_for(1s);
      send(peer, {1}, 2);
      return send(peer, {2}, 2);
    }
    receive(peer, {0});
    if (peer.id() == PeerId{1}) {
      receive(peer, {0});
    }
    arrivals[peer.id().value] = peer.clock().now();
  }).or_throw();
  EXPECT_NEAR(seconds(arrivals[1]), 4.0 + 0.0826, 1e-3);
  EXPECT_NEAR(seconds(arrivals[2]), 1.99, 1e-3);
}

TEST_F(Faults, ALinkBetweenTwoConcernsOnlyThem) {
  const std::string faults =
      "[[fault]]\nkind = \"link-down\"\npeer = 2\nother = 0\nfrom = 0\nuntil = 4.0\n";
  std::vector<Time> arrivals(3);
  simulate(options(3, faults), [&](Peer& peer) {
    peer.clock().sleep_for(1s);
    if (peer.id() == PeerId{0}) {
      send(peer, {1}, 1);
      return send(peer, {2}, 1);
    }
    receive(peer, {0});
    arrivals[peer.id().value] = peer.clock().now();
  }).or_throw();
  EXPECT_NEAR(seconds(arrivals[1]), 1.0, 1e-3);
  EXPECT_NEAR(seconds(arrivals[2]), 4.0, 1e-3);
}

TEST_F(Faults, ALinkThatStaysDownEndsInADeadline) {
  const std::string faults = "[[fault]]\nkind = \"link-down\"\npeer = 1\n";
  const RunReport report = simulate(options(2, faults), [](Peer& peer) {
    peer.clock().sleep_for(1s);
    send(peer, right_of(peer), 1);
    receive(peer, left_of(peer), 30s);
  });
  EXPECT_FALSE(report.ok());
  EXPECT_THAT(words_of(report.peers[0].error), HasSubstr("deadline"));
  EXPECT_LE(report.elapsed, 31s);
}

TEST_F(Faults, LateMessagesKeepTheirOrder) {
  const std::string faults =
      "[[fault]]\nkind = \"delay\"\npeer = 0\nother = 1\nby = \"500ms\"\nuntil = 1.0\n";
  simulate(options(2, faults), [](Peer& peer) {
    if (peer.id() == PeerId{0}) {
      peer.clock().sleep_for(900ms);
      send(peer, {1}, 1);
      peer.clock().sleep_for(200ms);
      return send(peer, {1}, 2);  // in time, but behind the late one
    }
    EXPECT_EQ(receive(peer, {0}), 1U);
    EXPECT_NEAR(seconds(peer.clock().now()), 1.4, 1e-3);
    EXPECT_EQ(receive(peer, {0}), 2U);
    EXPECT_NEAR(seconds(peer.clock().now()), 1.4, 1e-3);
  }).or_throw();
}

TEST_F(Faults, AShareOfTheMessagesIsLate) {
  std::size_t late = 0;
  simulate({.peers = 2, .faults = "delay:0.2:1s"}, [&](Peer& peer) {
    for (int k = 0; k < 500; ++k) {
      const Time start = peer.clock().now();
      send(peer, right_of(peer), 1);
      receive(peer, left_of(peer));
      if (peer.id() == PeerId{0} && peer.clock().now() - start > 900ms) {
        ++late;
      }
    }
  }).or_throw();
  // A round is late if either message is: Binomial(500, 0.36), mean 180, deviation 10.7; five.
  EXPECT_NEAR(static_cast<double>(late), 180, 54);
}

TEST_F(Faults, ASlowSpellSlowsComputingOnly) {
  const std::string faults =
      "[[fault]]\nkind = \"slow\"\npeer = 1\nfactor = 4\nfrom = 1.0\nuntil = 5.0\n";
  const RunReport report = simulate(options(2, faults), [](Peer& peer) {
    peer.compute(3s, [] {});
    peer.clock().sleep_for(1s);
  });
  EXPECT_EQ(report.peers[0].ended, Time{4s});
  EXPECT_EQ(report.peers[1].ended, Time{7s}) << "1 s, 1 s in the four of the spell, 1 s";
}

TEST_F(Faults, APausedPeerLosesTimeButNoMessages) {
  const std::string faults = "[[fault]]\nkind = \"pause\"\npeer = 1\nfrom = 1.0\nuntil = 31.0\n";
  simulate(options(2, faults), [](Peer& peer) {
    if (peer.id() == PeerId{0}) {
      peer.clock().sleep_for(2s);
      send(peer, {1}, 1);
      EXPECT_EQ(receive(peer, {1}), 1U);
      EXPECT_NEAR(seconds(peer.clock().now()), 31.0, 1e-3);
      return;
    }
    // Its deadline passes in the pause, but so does the message come.
    EXPECT_EQ(receive(peer, {0}, 10s), 1U);
    EXPECT_EQ(peer.clock().now(), Time{31s});
    send(peer, {0}, 1);
  }).or_throw();
}

/// Steps in which everybody needs something of everybody: a gradient, then a gathering round the
/// ring.
void synchronous_steps(Peer& peer) {
  for (std::uint64_t step = 0; step < 4; ++step) {
    peer.compute(1s, [] {});
    for (std::size_t hop = 1; hop < peer.peers().size(); ++hop) {
      send(peer, right_of(peer), step);
      EXPECT_EQ(receive(peer, left_of(peer)), step);
    }
  }
}

TEST_F(Faults, TheSlowOneIsNamedByAllWhoWait) {
  SimOptions slow = options(16, "");
  slow.stragglers = "11x10";
  simulate(slow, synchronous_steps).or_throw();
  const auto warnings = recorder_.all<SlowPeer>();
  ASSERT_THAT(warnings, Not(IsEmpty()));
  std::vector<bool> warned(16, false);
  for (const auto& [event, warning] : warnings) {
    EXPECT_EQ(warning.culprit, PeerId{11}) << to_string(event.from) << " blames another";
    EXPECT_GE(warning.waited, 5s);
    warned[event.from.value] = true;
  }
  EXPECT_FALSE(warned[11]);
  EXPECT_EQ(std::count(warned.begin(), warned.end(), true), 15) << "all of the others wait";
}

TEST_F(Faults, ThePausedOneIsNamedByAllWhoWait) {
  const std::string faults = "[[fault]]\nkind = \"pause\"\npeer = 4\nfrom = 3.5\nuntil = 33.5\n";
  const RunReport report = simulate(options(16, faults), synchronous_steps);
  report.or_throw();
  const auto warnings = recorder_.all<SlowPeer>();
  std::vector<bool> warned(16, false);
  for (const auto& [event, warning] : warnings) {
    EXPECT_EQ(warning.culprit, PeerId{4}) << to_string(event.from) << " blames another";
    warned[event.from.value] = true;
  }
  EXPECT_FALSE(warned[4]);
  EXPECT_EQ(std::count(warned.begin(), warned.end(), true), 15) << "all of the others wait";
  EXPECT_NEAR(seconds(report.elapsed), 34.0, 0.1);
}

TEST_F(Faults, APauseInTheMiddleOfAWaitIsNotBlamedOnTheAwaited) {
  // Peer 4 waits for 3 as it stops; what it waits for comes, and from then on it is to blame.
  const std::string faults = "[[fault]]\nkind = \"pause\"\npeer = 4\nfrom = 2.15\nuntil = 32.0\n";
  SimOptions paused = options(16, faults);
  paused.stragglers = "3x1.1";
  simulate(paused, synchronous_steps).or_throw();
  ASSERT_THAT(recorder_.all<SlowPeer>(), Not(IsEmpty()));
  for (const auto& [event, warning] : recorder_.all<SlowPeer>()) {
    EXPECT_EQ(warning.culprit, PeerId{4}) << to_string(event.from) << " blames another";
  }
}

TEST_F(Faults, WhoDoesNotWaitForThePausedKeepsItsSpeed) {
  // Asynchronous: a peer sends to the right and takes what has come, without waiting.
  const std::string faults = "[[fault]]\nkind = \"pause\"\npeer = 4\nfrom = 3.5\nuntil = 33.5\n";
  const RunReport report = simulate(options(16, faults), [](Peer& peer) {
    for (std::uint64_t step = 0; step < 50; ++step) {
      peer.compute(1s, [] {});
      (void)peer.send(right_of(peer), kTag, round_stamp(step), Buffer(8), in(peer, 1s));
      while (peer.receive(kAnyPeer, kTag, in(peer, 0s))) {
      }
    }
  });
  report.or_throw();
  for (std::size_t rank = 0; rank < 16; ++rank) {
    const double expected = rank == 4 ? 80.0 : 50.0;
    EXPECT_NEAR(seconds(report.peers[rank].ended), expected, 0.1 * 50) << rank;
  }
  EXPECT_THAT(recorder_.all<SlowPeer>(), IsEmpty());
}

}  // namespace

}  // namespace starling::simulation
