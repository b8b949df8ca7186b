#include "starling/transport/threads/inbox.hpp"

#include <array>
#include <utility>

#include <gtest/gtest.h>

namespace starling::threads {

namespace {

constexpr Tag kTag{Purpose::user, 0};
constexpr PeerId kSender{1};

Letter letter_of(std::size_t bytes, std::uint64_t round = 0) {
  return {kSender, {.round = round}, Buffer(bytes), {}, nullptr};
}

Inbox::Put put(Inbox& inbox, std::size_t bytes) {
  Letter letter = letter_of(bytes);
  return inbox.put(kTag, letter);
}

/// A loan of kSender, as post() makes it.
struct Lent {
  Parker parker;
  Loan loan;
  std::array<std::byte, 4> memory{};

  Lent() {
    loan.lender = &parker;
    loan.from = kSender;
    loan.tag = kTag;
  }
};

TEST(Inbox, ReadingMakesRoomInAFullQueue) {
  Inbox inbox;
  for (std::size_t k = 0; k < QueueRoom::kMessagesMax; ++k) {
    ASSERT_EQ(put(inbox, 1), Inbox::Put::stored);
  }
  EXPECT_EQ(put(inbox, 1), Inbox::Put::full);
  (void)inbox.take(kSender, kTag);
  EXPECT_EQ(put(inbox, 1), Inbox::Put::stored);
}

TEST(Inbox, RefusedLetterIsLeftAlone) {
  Inbox inbox;
  for (std::size_t k = 0; k < QueueRoom::kMessagesMax; ++k) {
    (void)put(inbox, 1);
  }
  Letter letter = letter_of(5);
  EXPECT_EQ(inbox.put(kTag, letter), Inbox::Put::full);
  EXPECT_EQ(letter.payload.size(), 5U);
}

TEST(Inbox, LoanIsOverWhenItsReadingEnds) {
  Inbox inbox;
  Lent lent;
  inbox.lend(lent.loan, {}, lent.memory);
  EXPECT_FALSE(lent.loan.over());
  {
    const auto reading = inbox.take(kSender, kTag);
    ASSERT_TRUE(reading);
    EXPECT_EQ(lent.loan.state, Loan::State::reading);
    EXPECT_FALSE(inbox.take_back(lent.loan)) << "too late";
  }
  EXPECT_EQ(lent.loan.state, Loan::State::read);
}

TEST(Inbox, LoanCanBeTakenBackFromAnyPlaceInTheQueue) {
  Inbox inbox;
  std::array<Lent, 3> lent;
  for (std::uint64_t k = 0; k < lent.size(); ++k) {
    inbox.lend(lent[k].loan, {.round = k}, lent[k].memory);
  }
  EXPECT_TRUE(inbox.take_back(lent[1].loan));
  EXPECT_EQ(lent[1].loan.state, Loan::State::withdrawn);
  EXPECT_FALSE(inbox.take_back(lent[1].loan)) << "only once";
  EXPECT_EQ((*inbox.take(kSender, kTag))->stamp.round, 0U);
  EXPECT_EQ((*inbox.take(kSender, kTag))->stamp.round, 2U);
  EXPECT_FALSE(inbox.holds(kSender, kTag));
}

TEST(Inbox, ClosingLosesWhatWasNotRead) {
  Inbox inbox;
  Lent unread;
  Lent late;
  inbox.lend(unread.loan, {}, unread.memory);
  (void)put(inbox, 3);
  inbox.close();
  EXPECT_EQ(unread.loan.state, Loan::State::lost);
  EXPECT_FALSE(inbox.holds(kSender, kTag));
  EXPECT_EQ(put(inbox, 1), Inbox::Put::closed);
  inbox.lend(late.loan, {}, late.memory);
  EXPECT_EQ(late.loan.state, Loan::State::lost);
}

TEST(Inbox, WakesOnlyThoseConcerned) {
  Inbox inbox;
  Parker reader;
  Parker other_lane;
  Parker sender;
  const Waiter<Parker> letter{News::letter, kAnyPeer, kTag, &reader};
  const Waiter<Parker> other{News::letter, kSender, {Purpose::user, 1}, &other_lane};
  const Waiter<Parker> room{News::room, kSender, kTag, &sender};
  for (const Waiter<Parker>* waiter : {&letter, &other, &room}) {
    inbox.add(*waiter);
  }
  (void)put(inbox, 1);
  EXPECT_TRUE(reader.has_news());
  EXPECT_FALSE(other_lane.has_news());
  EXPECT_FALSE(sender.has_news());
  (void)inbox.take(kSender, kTag);
  EXPECT_TRUE(sender.has_news());
  for (const Waiter<Parker>* waiter : {&letter, &other, &room}) {
    inbox.remove(*waiter);
  }
}

}  // namespace

}  // namespace starling::threads
