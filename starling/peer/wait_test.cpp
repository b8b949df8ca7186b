#include "starling/peer/wait.hpp"

#include <optional>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling {

namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// A clock that goes on when it is told to.
class HandClock final : public Clock {
 public:
  [[nodiscard]] Time now() const override { return now_; }

  void sleep_for(Duration duration) override { now_ += duration; }

 private:
  Time now_{};
};

constexpr auto kAlways = [] { return true; };

/// A wait of five seconds whose sleeps last a second each.
class Waiting : public ::testing::Test {
 protected:
  WaitEnd wait(FunctionRef<bool()> ready, FunctionRef<bool()> hopeless) {
    const auto sleep = [this] {
      clock_.sleep_for(1s);
      return true;
    };
    return wait_for({ready, hopeless}, Deadline{Time{5s}}, clock_, stop_.get_token(), sleep);
  }

  HandClock clock_;
  std::stop_source stop_;
};

TEST_F(Waiting, EndsWhenWhatIsAwaitedIsThere) {
  EXPECT_EQ(wait([&] { return clock_.now() >= Time{3s}; }, kNever), WaitEnd::ready);
  EXPECT_EQ(clock_.now(), Time{3s});
}

TEST_F(Waiting, EndsWhenItIsHopeless) {
  EXPECT_EQ(wait(kNever, [&] { return clock_.now() >= Time{2s}; }), WaitEnd::hopeless);
  EXPECT_EQ(clock_.now(), Time{2s});
}

TEST_F(Waiting, WhatCameBeforeTheEndCounts) {
  // Its sender sends it and leaves while the wait looks whether anyone is left.
  bool arrived = false;
  const auto sends_and_leaves = [&] {
    arrived = true;
    return true;
  };
  EXPECT_EQ(wait([&] { return arrived; }, sends_and_leaves), WaitEnd::ready);
}

TEST_F(Waiting, EndsAtTheDeadlineButLooksOnceMore) {
  EXPECT_EQ(wait(kNever, kNever), WaitEnd::deadline);
  EXPECT_EQ(clock_.now(), Time{5s});
  EXPECT_EQ(wait(kAlways, kNever), WaitEnd::ready);
}

TEST_F(Waiting, EndsWhenToldToStop) {
  stop_.request_stop();
  EXPECT_EQ(wait(kNever, kNever), WaitEnd::cancelled);
  EXPECT_EQ(clock_.now(), Time{}) << "without sleeping";
  EXPECT_EQ(wait(kAlways, kNever), WaitEnd::ready);
}

TEST_F(Waiting, EndsWhenThereCanBeNoNews) {
  const auto asleep_for_ever = [] { return false; };
  EXPECT_EQ(wait_for({kNever, kNever}, Deadline{Time{5s}}, clock_, {}, asleep_for_ever),
            WaitEnd::stalled);
}

/// Messages of peers 1 to 5, of which peer 3's is a send of our own instead.
class HopingForFive : public Waiting {
 protected:
  HopingForFive() {
    for (std::uint64_t peer = 1; peer <= 5; ++peer) {
      hopes_.push_back({.other = {peer}, .tag = {}, .send = peer == 3 ? &send_ : nullptr});
    }
  }

  auto first() {
    return FirstOf(
        std::span<const Hope>(hopes_),
        [this](const Hope& hope) { return come_.contains(hope.other); },
        [this](const Hope& hope) {
          EXPECT_EQ(hope.send, nullptr) << "of a send nobody brings anything";
          return gone_.contains(hope.other) ? std::optional(hope.other) : std::nullopt;
        });
  }

  /// As in a world whose peers do `news` at every second.
  template <class First, class Doing>
  WaitEnd wait_for_first(First& first, Doing news) {
    return first.wait([&](const Awaited& awaited) {
      const auto sleep = [&] {
        clock_.sleep_for(1s);
        news();
        return true;
      };
      return wait_for(awaited, Deadline{Time{5s}}, clock_, stop_.get_token(), sleep);
    });
  }

  Pending send_;
  std::vector<Hope> hopes_;
  std::set<PeerId> come_;
  std::set<PeerId> gone_;
};

TEST_F(HopingForFive, TheFirstThatHasComeIsTold) {
  auto none = first();
  EXPECT_FALSE(none.ready());
  come_ = {{2}, {5}};
  auto two = first();
  EXPECT_TRUE(two.ready());
  EXPECT_EQ(two.index(), 1U);
  come_ = {{3}};
  EXPECT_TRUE(two.ready()) << "a send that is over counts";
  EXPECT_EQ(two.index(), 2U);
}

TEST_F(HopingForFive, EndsWhenOneComes) {
  auto any = first();
  EXPECT_EQ(wait_for_first(any, [&] { come_.insert({4}); }), WaitEnd::ready);
  EXPECT_EQ(any.index(), 3U);
  EXPECT_EQ(clock_.now(), Time{1s});
}

TEST_F(HopingForFive, EndsWhenTheSenderOfAnyIsGone) {
  auto any = first();
  EXPECT_EQ(wait_for_first(any, [&] { gone_ = {{3}, {4}, {5}}; }), WaitEnd::hopeless);
  EXPECT_EQ(any.culprit(), PeerId{4}) << "the first of those whose message is missing";
}

TEST_F(HopingForFive, OneThatHasComeGoesBeforeOneThatCannot) {
  auto any = first();
  const auto sends_and_leaves = [&] {
    come_.insert({5});
    gone_.insert({1});
  };
  EXPECT_EQ(wait_for_first(any, sends_and_leaves), WaitEnd::ready);
  EXPECT_EQ(any.index(), 4U);
}

TEST(GivenUp, SaysWhoWhatAndHowLong) {
  const Failure late = no_message(WaitEnd::deadline, {1}, PeerId{3}, {Purpose::mixing, 2}, 4s);
  EXPECT_EQ(late.kind, FailureKind::deadline);
  EXPECT_EQ(late.culprit, PeerId{3});
  EXPECT_EQ(late.message(), "peer 3 deadline: no message of mixing/2 after 4 s");
  EXPECT_EQ(no_message(WaitEnd::deadline, {1}, kAnyPeer, {}, 4s).what,
            "no message of user/0 from anyone");
}

TEST(GivenUp, TellsAStopAndAStallFromADeadline) {
  const Failure stopped = no_room(WaitEnd::cancelled, {2}, {}, 1s);
  EXPECT_EQ(stopped.kind, FailureKind::cancelled);
  EXPECT_EQ(stopped.what, "told to stop, no room to send user/0: it does not read");
  const Failure stalled = not_taken(WaitEnd::stalled, {2}, {}, 1s);
  EXPECT_EQ(stalled.kind, FailureKind::deadline);
  EXPECT_THAT(stalled.what, HasSubstr("user/0, and none can come: nothing can run"));
}

}  // namespace

}  // namespace starling
