#include "starling/cli/table.hpp"

#include <gtest/gtest.h>

namespace starling::cli {
namespace {

TEST(Table, AlignsColumnsWithoutBlanksAtTheEnd) {
  EXPECT_EQ(aligned({{"a", "bb", "c"}, {"aaa", "b", ""}, {"", "b"}}),
            "a    bb  c\naaa  b\n     b\n");
}

TEST(Table, BreaksBetweenWords) {
  EXPECT_EQ(wrapped("aa bb cc dd", 7, 2), "aa bb\n  cc dd");
  EXPECT_EQ(wrapped("word-that-is-too-long x", 7, 2), "word-that-is-too-long\n  x");
}

TEST(Table, UnitsArePowersOfTen) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1'234'567), "1.23 MB");
  EXPECT_EQ(human_bytes(1e20), "1e+05 PB");
  EXPECT_EQ(human_seconds(12.345), "12.35 s");
  EXPECT_EQ(human_seconds(0.0123), "12.3 ms");
  EXPECT_EQ(human_seconds(4.2e-6), "4.2 us");
  EXPECT_EQ(human_seconds(0.0), "0.00 s");
}

}  // namespace
}  // namespace starling::cli
