// Who is slow? Everybody names the peer at the end of the chain of waits, nobody one that waits
// itself.
#include <mutex>
#include <set>

#include "tests/conformance/on_worlds.hpp"

namespace starling::testing {

namespace {

class SlowList : public Observer {
 public:
  void on_event(const Event& event) override {
    const std::lock_guard lock(mutex_);
    if (const auto* slow = std::get_if<SlowPeer>(&event.what)) {
      warnings_.emplace_back(event.from, *slow);
    }
  }

  /// After the run.
  [[nodiscard]] const std::vector<std::pair<PeerId, SlowPeer>>& warnings() const {
    return warnings_;
  }

 private:
  std::mutex mutex_;  // guards warnings_
  std::vector<std::pair<PeerId, SlowPeer>> warnings_;
};

class Slow : public OnWorlds {};

STARLING_ON_WORLDS(Slow, 2, 5);

TEST_P(Slow, EveryWarningNamesTheEndOfTheChain) {
  SlowList observer;
  const PeerId slow{peers() - 1};
  run(
      [slow](Peer& peer) {
        if (peer.id() == slow) {
          peer.clock().sleep_for(500ms);
        } else {
          peer.receive(next_of(peer), kTag, soon(peer)).or_throw();
        }
        if (peer.id() != PeerId{0}) {
          peer.send(previous_of(peer), kTag, {}, {}, soon(peer)).or_throw();
        }
      },
      {.observer = &observer, .slow_warning = 100ms});
  std::set<PeerId> warned;
  for (const auto& [from, warning] : observer.warnings()) {
    EXPECT_NE(from, slow);
    EXPECT_GE(warning.waited, 100ms);
    if (warning.waited < 200ms) {
      continue;
    }  // somebody may not have started to wait yet
    EXPECT_EQ(warning.culprit, slow) << "said by " << to_string(from);
    warned.insert(from);
  }
  EXPECT_EQ(warned.size(), peers() - 1);
}

TEST_P(Slow, WaitBehindAStaleMessageIsAWaitLikeAny) {
  SlowList observer;
  run(
      [](Peer& peer) {
        const Expected current{{.group = 2}, 0};
        if (peer.id() == PeerId{1}) {  // the slow one
          peer.send({0}, kTag, {.group = 1}, {}, soon(peer)).or_throw();
          peer.clock().sleep_for(500ms);
          peer.send({0}, kTag, current.stamp, {}, soon(peer)).or_throw();
          return;
        }
        if (peer.id() != PeerId{0}) {
          peer.receive(PeerId{0}, kTag, soon(peer)).or_throw();
          return;
        }
        peer.receive_into({1}, kTag, current, {}, soon(peer)).or_throw();
        EXPECT_GE(peer.meter().waiting, 300ms);
        for (std::uint64_t other = 2; other < peer.peers().size(); ++other) {
          peer.send({other}, kTag, {}, {}, soon(peer)).or_throw();
        }
      },
      {.observer = &observer, .slow_warning = 100ms});
  std::set<PeerId> warned;
  for (const auto& [from, warning] : observer.warnings()) {
    if (warning.waited < 200ms) {
      continue;
    }  // somebody may not have started to wait yet
    EXPECT_EQ(warning.culprit, PeerId{1}) << "said by " << to_string(from);
    warned.insert(from);
  }
  EXPECT_EQ(warned.size(), peers() - 1);
}

TEST_P(Slow, NobodyIsSlowInAQuickRun) {
  SlowList observer;
  run(
      [](Peer& peer) {
        for (int k = 0; k < 10; ++k) {
          peer.send(next_of(peer), kTag, {}, {}, soon(peer)).or_throw();
          peer.receive(previous_of(peer), kTag, soon(peer)).or_throw();
        }
      },
      {.observer = &observer});
  EXPECT_TRUE(observer.warnings().empty());
}

}  // namespace

}  // namespace starling::testing
