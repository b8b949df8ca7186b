#include "starling/cli/bench_sizes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::size_t> sizes(std::vector<std::string> texts) {
  std::string wrong;
  auto read = read_sizes(texts, wrong);
  EXPECT_EQ(wrong, "");
  return read;
}

TEST(BenchSizes, ARangeGoesInStepsOfFourAndKeepsItsEnd) {
  EXPECT_THAT(sizes({"1KiB..64KiB"}), ElementsAre(1024, 4096, 16384, 65536));
  EXPECT_THAT(sizes({"1KiB..10KiB"}), ElementsAre(1024, 4096, 10240));
  EXPECT_THAT(sizes({"8..8"}), ElementsAre(8));
}

TEST(BenchSizes, AreSortedAndNoneTwice) {
  EXPECT_THAT(sizes({"1MiB", "4 KiB", "1KiB..16KiB"}), ElementsAre(1024, 4096, 16384, 1 << 20));
}

TEST(BenchSizes, WhatIsNoneIsRefused) {
  for (const char* text :
       {"", "x", "0", "64MiB..1KiB", "1KiB..", "..4", "1KiB...4KiB", "2048GiB", "1.5MiB"}) {
    std::string wrong;
    const std::vector<std::string> texts{"4KiB", text};
    EXPECT_THAT(read_sizes(texts, wrong), IsEmpty()) << text;
    EXPECT_THAT(wrong, HasSubstr("found '" + std::string(text) + "'"));
  }
}

}  // namespace
}  // namespace starling::cli
