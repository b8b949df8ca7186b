// More activities of one peer: they run beside it, stop when told, and their errors are not lost.
#include <atomic>
#include <mutex>
#include <stdexcept>

#include "tests/conformance/on_worlds.hpp"

namespace starling::testing {

namespace {

using ::testing::HasSubstr;

class Activities : public OnWorlds {};

STARLING_ON_WORLDS(Activities, 2, 3);

TEST_P(Activities, AnswerWhileTheirPeerIsBusy) {
  run([](Peer& peer) {
    constexpr std::uint64_t kQuestions = 20;
    const auto server = peer.spawn("server", [](Peer& self, std::stop_token stop) {
      while (!stop.stop_requested()) {
        auto question = self.receive(kAnyPeer, kTag, soon(self));
        if (!question) {
          return;
        }
        self.send(question->from, kOtherTag, question->stamp, {}, soon(self)).or_throw();
      }
    });
    for (std::uint64_t k = 0; k < kQuestions; ++k) {
      peer.send(next_of(peer), kTag, round_stamp(k), {}, soon(peer)).or_throw();
      EXPECT_EQ(peer.receive(next_of(peer), kOtherTag, soon(peer)).or_throw().stamp.round, k);
    }
    meet(peer);  // nobody stops serving while somebody may still ask
    server->request_stop();
    server->join(soon(peer)).or_throw();
    // Its questions, its part of meet(), and the answers of the activity that has ended.
    EXPECT_EQ(peer.meter().messages_sent, kQuestions + (peers() - 1) + kQuestions);
  });
}

TEST_P(Activities, StopEndsAReceive) {
  run([](Peer& peer) {
    const auto waiting = peer.spawn("waiting", [](Peer& self, std::stop_token) {
      EXPECT_EQ(failure_of(self.receive(previous_of(self), kTag, soon(self))).kind,
                FailureKind::cancelled);
    });
    peer.clock().sleep_for(5ms);
    waiting->request_stop();
    waiting->join(soon(peer)).or_throw();
    meet(peer);
  });
}

TEST_P(Activities, StopEndsASleepAndAPostedWait) {
  run([](Peer& peer) {
    const auto sleeping = peer.spawn("sleeping", [](Peer& self, std::stop_token stop) {
      const Time start = self.clock().now();
      self.clock().sleep_for(60s);
      EXPECT_TRUE(stop.stop_requested());
      EXPECT_LT(self.clock().now() - start, 50s);
      const std::vector<float> own(4, 1.0F);
      Pending unread = self.post(next_of(self), kTag, {}, bytes_of(own));
      const Result<void> done = unread.wait(Deadline{Time::max()});
      EXPECT_TRUE(done || done.error().kind == FailureKind::cancelled) << "returns at any rate";
    });
    peer.clock().sleep_for(5ms);
    sleeping->request_stop();
    sleeping->join(soon(peer)).or_throw();
    meet(peer);
  });
}

TEST_P(Activities, StopEndsABlockedSend) {
  run([](Peer& peer) {
    const auto sending = peer.spawn("sending", [](Peer& self, std::stop_token) {
      Result<void> sent;
      while (sent) {
        sent = self.send(next_of(self), kTag, {}, floats({1.0F}), soon(self));
      }
      EXPECT_EQ(failure_of(sent).kind, FailureKind::cancelled);
    });
    peer.clock().sleep_for(10ms);
    sending->request_stop();
    sending->join(soon(peer)).or_throw();
    meet(peer);
  });
}

TEST_P(Activities, LeavingTheScopeStopsAndJoins) {
  run([](Peer& peer) {
    std::atomic<bool> ended = false;
    {
      const auto sleeping = peer.spawn("sleeping", [&](Peer& self, std::stop_token) {
        self.clock().sleep_for(60s);
        ended = true;
      });
    }
    EXPECT_TRUE(ended);
    EXPECT_LT(peer.clock().now(), Time{} + 50s);
  });
}

TEST_P(Activities, JoinRethrowsOnce) {
  run([](Peer& peer) {
    const auto broken =
        peer.spawn("broken", [](Peer&, std::stop_token) { throw std::runtime_error("no luck"); });
    EXPECT_THROW((void)broken->join(soon(peer)), std::runtime_error);
    EXPECT_TRUE(broken->join(soon(peer)));
  });
}

TEST_P(Activities, JoinGivesUpAtItsDeadline) {
  run([](Peer& peer) {
    const auto sleeping =
        peer.spawn("sleeping", [](Peer& self, std::stop_token) { self.clock().sleep_for(60s); });
    const Failure failure = failure_of(sleeping->join(peer.clock().in(5ms)));
    EXPECT_EQ(failure.kind, FailureKind::deadline);
    EXPECT_THAT(failure.message(), HasSubstr("sleeping"));
  });
}

class Notes : public Observer {
 public:
  void on_event(const Event& event) override {
    const std::lock_guard lock(mutex_);
    if (const auto* note = std::get_if<Note>(&event.what)) {
      notes_.push_back(*note);
    }
  }

  /// After the run.
  [[nodiscard]] const std::vector<Note>& notes() const { return notes_; }

 private:
  std::mutex mutex_;  // guards notes_
  std::vector<Note> notes_;
};

TEST_P(Activities, ErrorNobodyAskedForBecomesAnEvent) {
  Notes observer;
  run(
      [](Peer& peer) {
        const auto broken = peer.spawn(
            "broken", [](Peer&, std::stop_token) { throw std::runtime_error("no luck"); });
      },
      {.observer = &observer});
  ASSERT_EQ(observer.notes().size(), peers());
  EXPECT_EQ(observer.notes()[0].severity, Severity::error);
  EXPECT_THAT(observer.notes()[0].text, HasSubstr("broken"));
  EXPECT_THAT(observer.notes()[0].text, HasSubstr("no luck"));
}

}  // namespace

}  // namespace starling::testing
