#include "starling/peer/wait_board.hpp"

#include <gtest/gtest.h>

namespace starling {

namespace {

using namespace std::chrono_literals;

TEST(WaitBoard, FollowsTheChainToTheOneWhoWaitsForNobody) {
  WaitBoard board(5);
  board.enter({0}, {1}, Time{});
  board.enter({1}, {2}, Time{});
  board.enter({2}, {3}, Time{});
  EXPECT_EQ(board.culprit({1}), PeerId{3});
  EXPECT_EQ(board.culprit({4}), PeerId{4}) << "waits for nobody itself";
  board.leave({2});
  EXPECT_EQ(board.culprit({1}), PeerId{2});
  EXPECT_EQ(board.awaited_by({2}), std::nullopt);
  EXPECT_EQ(board.awaited_by({0}), PeerId{1});
}

TEST(WaitBoard, CircleHasNoEndSoTheAwaitedIsNamed) {
  WaitBoard board(3);
  board.enter({0}, {1}, Time{});
  board.enter({1}, {2}, Time{});
  board.enter({2}, {0}, Time{});
  EXPECT_EQ(board.culprit({1}), PeerId{1});
}

TEST(WaitBoard, StrangersHaveNoPlaceOnIt) {
  WaitBoard board(2);
  board.enter({7}, {1}, Time{});
  board.leave({7});
  EXPECT_EQ(board.awaited_by({7}), std::nullopt);
  EXPECT_EQ(board.culprit({7}), PeerId{7});
}

TEST(WaitBoard, TableShowsEveryWait) {
  WaitBoard board(3);
  EXPECT_EQ(board.table(Time{}), "");
  board.enter({0}, {1}, Time{} + 1s);
  board.enter({2}, {0}, Time{} + 2s);
  EXPECT_EQ(board.table(Time{} + 4s),
            "peer 0 waits for peer 1 since 3 s\npeer 2 waits for peer 0 since 2 s\n");
}

}  // namespace

}  // namespace starling
