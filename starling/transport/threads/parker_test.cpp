#include "starling/transport/threads/parker.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace starling::threads {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

TEST(Parker, NewsBeforeTheParkIsNotLost) {
  for (const Duration spin : {Duration{}, Duration(20us)}) {
    Parker parker;
    parker.unpark();
    const auto start = steady_clock::now();
    parker.park(start + 20s, spin);
    EXPECT_LT(steady_clock::now() - start, 10s);
    EXPECT_FALSE(parker.has_news()) << "read";
  }
}

TEST(Parker, GivesUpInTime) {
  for (const Duration spin : {Duration{}, Duration(20us), Duration(1s)}) {
    Parker parker;
    const auto start = steady_clock::now();
    parker.park(start + 5ms, spin);
    EXPECT_GE(steady_clock::now() - start, 5ms);
    EXPECT_LT(steady_clock::now() - start, 900ms) << "spins no longer than the wait";
    parker.park(start, spin);  // a moment that has passed
  }
}

TEST(Parker, HandsEveryPieceOfNewsOver) {
  constexpr int kRounds = 2000;
  Parker here;
  Parker there;
  std::atomic<int> ball{0};
  const auto play = [&](Parker& own, Parker& other, int first) {
    for (int k = first; k < kRounds; k += 2) {
      while (ball.load() != k) {
        own.park(steady_clock::now() + 20s, Duration{});
      }
      ball.store(k + 1);
      other.unpark();
    }
  };
  const auto start = steady_clock::now();
  {
    const std::jthread second([&] { play(there, here, 1); });
    play(here, there, 0);
  }
  EXPECT_EQ(ball, kRounds);
  EXPECT_LT(steady_clock::now() - start, 19s) << "a wake-up was lost and the deadline had to help";
}

TEST(ParkerPool, LendsReturnedParkersAgain) {
  ParkerPool pool;
  ParkerPool::Lease first = pool.lease();
  const Parker* const where = first.get();
  {
    const ParkerPool::Lease second = pool.lease();
    EXPECT_NE(second.get(), where);
    EXPECT_EQ(pool.leased(), 2U);
  }
  first.reset();
  EXPECT_EQ(pool.leased(), 0U);
  EXPECT_EQ(pool.lease().get(), where);
}

}  // namespace

}  // namespace starling::threads
