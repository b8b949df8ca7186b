// How a peer's end travels: at once, to everybody, with the words of the one who failed first.
#include <mutex>
#include <stdexcept>

#include "tests/conformance/on_worlds.hpp"

namespace starling::testing {

namespace {

using ::testing::HasSubstr;

class Leaving : public OnWorlds {};

STARLING_ON_WORLDS(Leaving, 4, 7);

constexpr const char* kWords = "the shard of this peer is empty";

class GoneList : public Observer {
 public:
  void on_event(const Event& event) override {
    const std::lock_guard lock(mutex_);
    if (const auto* gone = std::get_if<PeerGone>(&event.what)) {
      gone_.push_back(*gone);
    }
  }

  /// After the run.
  [[nodiscard]] const std::vector<PeerGone>& gone() const { return gone_; }

 private:
  std::mutex mutex_;  // guards gone_
  std::vector<PeerGone> gone_;
};

void expect_blames(const std::exception_ptr& error, PeerId culprit, const std::string& words) {
  ASSERT_TRUE(error);
  try {
    std::rethrow_exception(error);
  } catch (const PeerLost& lost) {
    EXPECT_EQ(lost.failure().kind, FailureKind::lost);
    EXPECT_EQ(lost.failure().culprit, culprit);
    EXPECT_THAT(lost.what(), HasSubstr(to_string(culprit)));
    EXPECT_THAT(lost.what(), HasSubstr(words));
  }
}

TEST_P(Leaving, EveryoneNamesTheFirstFailureAndItsWords) {
  GoneList observer;
  const RunReport report = world({.observer = &observer})->run([](Peer& peer) {
    if (peer.id() == PeerId{3}) {
      throw DataError(kWords);
    }
    peer.receive(next_of(peer), kTag, soon(peer)).or_throw();
  });
  ASSERT_EQ(report.culprit, 3U);
  EXPECT_THROW(report.or_throw(), DataError);
  EXPECT_LT(report.elapsed, 20s) << "a goodbye does not wait for deadlines";
  for (std::size_t rank = 0; rank < peers(); ++rank) {
    if (rank != 3) {
      expect_blames(report.peers[rank].error, {3}, kWords);
    }
  }
  ASSERT_EQ(observer.gone().size(), peers());
  EXPECT_EQ(observer.gone().front().peer, PeerId{3});
  for (const PeerGone& gone : observer.gone()) {
    EXPECT_THAT(gone.reason, HasSubstr(kWords));
  }
}

TEST_P(Leaving, ExitCodeOfTheRootCauseTravels) {
  const RunReport report = world()->run([](Peer& peer) {
    if (peer.id() == PeerId{3}) {
      throw NotFiniteError(kWords);
    }
    const Failure failure = failure_of(peer.receive(PeerId{3}, kTag, soon(peer)));
    EXPECT_EQ(failure.code, ExitCode::not_finite);
  });
  EXPECT_EQ(report.culprit, 3U);
}

TEST_P(Leaving, WhatWasSentBeforeIsReadFirst) {
  const RunReport report = world()->run([](Peer& peer) {
    if (peer.id() == PeerId{1}) {
      for (std::uint64_t k = 0; k < 3; ++k) {
        peer.send({0}, kTag, round_stamp(k), floats({1.0F}), soon(peer)).or_throw();
      }
      throw std::runtime_error(kWords);
    }
    if (peer.id() != PeerId{0}) {
      return;
    }
    EXPECT_EQ(failure_of(peer.receive(PeerId{1}, kOtherTag, soon(peer))).kind, FailureKind::lost);
    for (std::uint64_t k = 0; k < 3; ++k) {
      EXPECT_EQ(peer.receive(PeerId{1}, kTag, soon(peer)).or_throw().stamp.round, k);
    }
    EXPECT_THAT(failure_of(peer.receive(PeerId{1}, kTag, soon(peer))).message(), HasSubstr(kWords));
  });
  EXPECT_EQ(report.culprit, 1U);
}

TEST_P(Leaving, SendersLearnOfIt) {
  run([](Peer& peer) {
    if (peer.id() != PeerId{0}) {
      return;
    }
    const std::vector<float> own(10, 1.0F);
    Pending unread = peer.post({1}, kTag, {}, bytes_of(own));
    EXPECT_EQ(failure_of(peer.receive(PeerId{1}, kTag, soon(peer))).kind, FailureKind::lost);
    const Result<void> done = unread.wait(Deadline{Time::max()});
    EXPECT_TRUE(done || done.error().kind == FailureKind::lost) << "left without reading";
    const Failure failure = failure_of(peer.send({1}, kTag, {}, {}, soon(peer)));
    EXPECT_EQ(failure.kind, FailureKind::lost);
    EXPECT_EQ(failure.peer, PeerId{1});
    Pending late = peer.post({1}, kTag, {}, bytes_of(own));
    EXPECT_EQ(failure_of(late.wait(soon(peer))).peer, PeerId{1});
  });
}

TEST_P(Leaving, BlockedSenderIsFreed) {
  const RunReport report = world()->run([](Peer& peer) {
    if (peer.id() == PeerId{1}) {
      peer.receive(PeerId{0}, kOtherTag, soon(peer)).or_throw();
      peer.clock().sleep_for(5ms);
      throw std::runtime_error(kWords);
    }
    if (peer.id() != PeerId{0}) {
      return;
    }
    peer.send({1}, kOtherTag, {}, {}, soon(peer)).or_throw();
    Result<void> sent;
    while (sent) {
      sent = peer.send({1}, kTag, {}, floats({1.0F}), soon(peer));
    }
    EXPECT_EQ(failure_of(sent).kind, FailureKind::lost);
    EXPECT_THAT(failure_of(sent).message(), HasSubstr(kWords));
  });
  EXPECT_EQ(report.culprit, 1U);
}

TEST_P(Leaving, FinishedPeerIsNoFailureUntilItIsMissed) {
  GoneList observer;
  const RunReport fine = world({.observer = &observer})->run([](Peer&) {});
  EXPECT_TRUE(fine.ok());
  EXPECT_TRUE(observer.gone().empty());

  const RunReport missed = world()->run([](Peer& peer) {
    if (peer.id() == PeerId{0}) {
      peer.receive(PeerId{1}, kTag, soon(peer)).or_throw();
    }
  });
  ASSERT_EQ(missed.culprit, 0U) << "the one who waited for a peer that was done";
  try {
    missed.or_throw();
  } catch (const PeerLost& lost) {
    EXPECT_THAT(lost.what(), HasSubstr("peer 1"));
  }
  EXPECT_FALSE(missed.peers[1].error);
}

TEST_P(Leaving, AnyoneLastsAsLongAsSomebodyIsThere) {
  const RunReport report = world()->run([](Peer& peer) {
    if (peer.id() == PeerId{1}) {
      throw std::runtime_error(kWords);
    }
    if (peer.id() == PeerId{2}) {
      (void)peer.receive(PeerId{1}, kTag, soon(peer));  // until peer 1 is gone
      peer.send({0}, kTag, round_stamp(5), {}, soon(peer)).or_throw();
      return;
    }
    if (peer.id() != PeerId{0}) {
      return;
    }
    EXPECT_EQ(peer.receive(kAnyPeer, kTag, soon(peer)).or_throw().stamp.round, 5U);
    const Failure failure = failure_of(peer.receive(kAnyPeer, kTag, soon(peer)));
    EXPECT_EQ(failure.kind, FailureKind::lost);
    EXPECT_EQ(failure.culprit, PeerId{1}) << "of all who left, the one who failed";
    EXPECT_THAT(failure.message(), HasSubstr(kWords));
  });
  EXPECT_EQ(report.culprit, 1U);
}

TEST_P(Leaving, FirstOfTwoFailuresIsTheCulprit) {
  const RunReport report = world()->run([](Peer& peer) {
    if (peer.id() == PeerId{2}) {
      throw std::runtime_error(kWords);
    }
    if (peer.id() != PeerId{1}) {
      return;
    }
    EXPECT_FALSE(peer.receive(PeerId{2}, kTag, soon(peer)));
    throw std::runtime_error("a failure of its own, but later");
  });
  EXPECT_EQ(report.culprit, 2U);
}

TEST_P(Leaving, DeadlineIsTheFailureOfTheOneWhoWaited) {
  const RunReport report = world()->run([](Peer& peer) {
    if (peer.id() == PeerId{0}) {
      peer.receive(PeerId{1}, kTag, peer.clock().in(10ms)).or_throw();
    }
    if (peer.id() == PeerId{1}) {
      peer.receive(PeerId{0}, kTag, soon(peer)).or_throw();
    }
  });
  EXPECT_EQ(report.culprit, 0U);
  // Its goodbye tells what it saw.
  expect_blames(report.peers[1].error, {1}, "peer 0 saw");
}

TEST_P(Leaving, AnyExceptionIsReported) {
  const RunReport report = world()->run([](Peer& peer) {
    if (peer.id() == PeerId{0}) {
      throw 42;
    }
    EXPECT_THAT(failure_of(peer.receive(PeerId{0}, kTag, soon(peer))).message(),
                HasSubstr("unknown type"));
  });
  EXPECT_EQ(report.culprit, 0U);
  EXPECT_THROW(report.or_throw(), int);
}

class Alone : public OnWorlds {};

STARLING_ON_WORLDS(Alone, 1);

TEST_P(Alone, WaitingForAnyoneFailsAtOnce) {
  run([](Peer& peer) {
    const Failure failure = failure_of(peer.receive(kAnyPeer, kTag, soon(peer)));
    EXPECT_EQ(failure.kind, FailureKind::lost);
    EXPECT_THAT(failure.message(), HasSubstr("no other peer"));
    EXPECT_EQ(peer.meter().messages_sent, 0U);
  });
}

class BrokenObserver : public Observer {
 public:
  void on_event(const Event&) override { throw StorageError("metrics.jsonl: disk full"); }
};

TEST_P(Leaving, ABrokenObserverEndsTheRunButNotTheProgram) {
  BrokenObserver observer;
  const auto world = make_world(std::get<0>(GetParam()), {.peers = 2, .observer = &observer});
  const RunReport report = world->run([](Peer& peer) {
    const auto failing =
        peer.spawn("failing", [](Peer&, std::stop_token) { throw std::runtime_error("x"); });
    if (peer.id() == PeerId{0}) {
      peer.emit(Note{});
    }
    peer.receive(PeerId{0}, Tag{}, peer.clock().in(std::chrono::seconds(30))).or_throw();
  });
  EXPECT_EQ(report.culprit, 0U);
  EXPECT_THROW(report.or_throw(), StorageError);
}

}  // namespace

}  // namespace starling::testing
