#include "starling/peer/memory_directory.hpp"

#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"

namespace starling {

namespace {

using namespace std::chrono_literals;

constexpr Time at(Duration since_start) {
  return Time{} + since_start;
}

TEST(RecordTable, LaterExpiryWins) {
  RecordTable table;
  EXPECT_TRUE(table.put("k", {"a", "one", at(10s)}, at(0s)));
  EXPECT_FALSE(table.put("k", {"a", "two", at(9s)}, at(0s)));
  EXPECT_EQ(table.get("k", at(0s)).at(0).value, "one");
  EXPECT_TRUE(table.put("k", {"a", "three", at(10s)}, at(0s)))
      << "the same expiry: the newer stands";
  EXPECT_TRUE(table.put("k", {"a", "four", at(11s)}, at(0s)));
  EXPECT_EQ(table.get("k", at(0s)), (std::vector<Record>{{"a", "four", at(11s)}}));
}

TEST(RecordTable, ExpiredRecordsAreNotThere) {
  RecordTable table;
  EXPECT_TRUE(table.put("k", {"a", "", at(5s)}, at(0s)));
  EXPECT_EQ(table.get("k", at(4s)).size(), 1U);
  EXPECT_TRUE(table.get("k", at(5s)).empty());
  EXPECT_FALSE(table.put("k", {"b", "", at(5s)}, at(5s))) << "dead on arrival";
}

TEST(RecordTable, ExpiredValueGivesWayToALiveOne) {
  RecordTable table;
  EXPECT_TRUE(table.put("k", {"a", "old", at(5s)}, at(0s)));
  EXPECT_TRUE(table.put("k", {"a", "new", at(7s)}, at(6s)));
  EXPECT_EQ(table.get("k", at(6s)).at(0).value, "new");
}

TEST(RecordTable, KeysAndSubkeysAreApart) {
  RecordTable table;
  table.put("k", {"b", "2", at(5s)}, at(0s));
  table.put("k", {"a", "1", at(5s)}, at(0s));
  table.put("l", {"a", "3", at(5s)}, at(0s));
  const std::vector<Record> expected = {{"a", "1", at(5s)}, {"b", "2", at(5s)}};
  EXPECT_EQ(table.get("k", at(0s)), expected) << "by subkey";
  EXPECT_EQ(table.get("l", at(0s)).size(), 1U);
  EXPECT_TRUE(table.get("m", at(0s)).empty());
}

TEST(RecordTable, RefusesWhatIsTooLarge) {
  RecordTable table;
  EXPECT_TRUE(table.put("k", {"a", std::string(kRecordBytesMax, 'x'), at(5s)}, at(0s)));
  EXPECT_THROW(table.put("k", {"b", std::string(kRecordBytesMax + 1, 'x'), at(5s)}, at(0s)),
               ContractError);
}

TEST(RecordTable, IsBoundedAndForgetsTheExpiredFirst) {
  constexpr std::size_t kRecords = 100;
  RecordTable table(kRecords);
  for (std::size_t k = 0; k < kRecords; ++k) {
    ASSERT_TRUE(table.put("k", {std::to_string(k), "", at(k == 0 ? 5s : 50s)}, at(0s)));
  }
  EXPECT_THROW(table.put("l", {"a", "", at(50s)}, at(1s)), ContractError);
  EXPECT_TRUE(table.put("k", {"1", "renewed", at(60s)}, at(1s))) << "takes no new place";
  EXPECT_TRUE(table.put("l", {"a", "", at(50s)}, at(6s))) << "one has expired";
}

}  // namespace

}  // namespace starling
