#include "starling/core/byte_size.hpp"

#include <gtest/gtest.h>

namespace starling {
namespace {

TEST(ByteSize, ReadsWhatPeopleType) {
  EXPECT_EQ(parse_bytes("4096"), 4096U);
  EXPECT_EQ(parse_bytes("4096B"), 4096U);
  EXPECT_EQ(parse_bytes("64KiB"), 65536U);
  EXPECT_EQ(parse_bytes("1 MiB"), 1048576U);
  EXPECT_EQ(parse_bytes("2GiB"), std::size_t{2} << 30U);
}

TEST(ByteSize, RefusesAnythingElse) {
  for (const char* text : {"",
                           "KiB",
                           "64kb",
                           "1.5MiB",
                           "-1",
                           "64KiBx",
                           "99999999999999999999",
                           "18446744073709551615KiB"}) {
    EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
  }
}

TEST(ByteSize, WritesTheLargestUnitThatDivides) {
  for (const std::size_t bytes : {std::size_t{0},
                                  std::size_t{1},
                                  std::size_t{1000},
                                  std::size_t{1024},
                                  std::size_t{65536},
                                  std::size_t{3} << 30U}) {
    EXPECT_EQ(parse_bytes(bytes_text(bytes)), bytes);
  }
  EXPECT_EQ(bytes_text(65536), "64KiB");
  EXPECT_EQ(bytes_text(1000), "1000B");
  EXPECT_EQ(bytes_text(0), "0B");
}

}  // namespace
}  // namespace starling
