#include "starling/peer/waiters.hpp"

#include <iterator>
#include <vector>

#include <gtest/gtest.h>

namespace starling {

namespace {

struct Sleeper {};

constexpr Tag kTag{Purpose::user, 0};
constexpr Tag kOtherTag{Purpose::user, 1};

TEST(Waiters, AreConcernedByNewsOfTheirQueueOnly) {
  const Waiter<Sleeper> waiter{News::letter, PeerId{1}, kTag, nullptr};
  EXPECT_TRUE(waiter.is_concerned(News::letter, {1}, kTag));
  EXPECT_FALSE(waiter.is_concerned(News::room, {1}, kTag));
  EXPECT_FALSE(waiter.is_concerned(News::letter, {2}, kTag));
  EXPECT_FALSE(waiter.is_concerned(News::letter, {1}, kOtherTag));
}

TEST(Waiters, ForAnyoneAreConcernedByEverySource) {
  const Waiter<Sleeper> waiter{News::letter, kAnyPeer, kTag, nullptr};
  EXPECT_TRUE(waiter.is_concerned(News::letter, {1}, kTag));
  EXPECT_TRUE(waiter.is_concerned(News::letter, {2}, kTag));
  EXPECT_FALSE(waiter.is_concerned(News::letter, {2}, kOtherTag));
}

TEST(Waiters, AreRegisteredForAScopeInTheOrderTheyCame) {
  Waiters<Sleeper> waiters;
  Sleeper first;
  Sleeper second;
  const Registration one(waiters, Waiter<Sleeper>{News::room, PeerId{1}, kTag, &first});
  {
    const Registration two(waiters, Waiter<Sleeper>{News::letter, kAnyPeer, kTag, &second});
    ASSERT_EQ(std::distance(waiters.begin(), waiters.end()), 2);
    EXPECT_EQ((*waiters.begin())->sleeper, &first);
    EXPECT_EQ((*std::next(waiters.begin()))->sleeper, &second);
  }
  ASSERT_EQ(std::distance(waiters.begin(), waiters.end()), 1);
  EXPECT_EQ((*waiters.begin())->sleeper, &first);
}

TEST(Waiters, AreRegisteredForEveryMessageHopedForButForNoSend) {
  Waiters<Sleeper> waiters;
  Sleeper sleeper;
  const Pending send;
  const std::vector<Hope> hopes{{{1}, kTag}, {{2}, kTag, &send}, {{3}, kOtherTag}};
  {
    const Registrations places(waiters, hopes, sleeper);
    ASSERT_EQ(std::distance(waiters.begin(), waiters.end()), 2);
    EXPECT_TRUE((*waiters.begin())->is_concerned(News::letter, {1}, kTag));
    EXPECT_TRUE((*std::next(waiters.begin()))->is_concerned(News::letter, {3}, kOtherTag));
    EXPECT_EQ((*waiters.begin())->sleeper, &sleeper);
  }
  EXPECT_EQ(waiters.begin(), waiters.end());
}

}  // namespace

}  // namespace starling
