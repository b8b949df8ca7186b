#include "starling/peer/queue_room.hpp"

#include <gtest/gtest.h>

namespace starling {

namespace {

TEST(QueueRoom, HoldsAsManyMessagesAsItSays) {
  QueueRoom room;
  for (std::size_t k = 0; k < QueueRoom::kMessagesMax; ++k) {
    ASSERT_TRUE(room.enter(1)) << k;
  }
  EXPECT_FALSE(room.enter(0));
  room.leave(1);
  EXPECT_TRUE(room.enter(1));
  EXPECT_FALSE(room.enter(1)) << "what was refused was not counted, what entered was";
}

TEST(QueueRoom, HoldsAsManyBytesAsItSays) {
  QueueRoom room;
  ASSERT_TRUE(room.enter(QueueRoom::kBytesMax - 1));
  EXPECT_FALSE(room.enter(2));
  EXPECT_TRUE(room.enter(1));
  EXPECT_TRUE(room.enter(0)) << "nothing takes no room";
}

TEST(QueueRoom, AnySizeEntersAnEmptyQueue) {
  QueueRoom room;
  ASSERT_TRUE(room.enter(2 * QueueRoom::kBytesMax));
  EXPECT_FALSE(room.enter(1));
  room.leave(2 * QueueRoom::kBytesMax);
  EXPECT_TRUE(room.enter(2 * QueueRoom::kBytesMax));
}

}  // namespace

}  // namespace starling
