#include "starling/simulation/platform.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "starling/core/error.hpp"
#include "starling/simulation/platform_catalog.hpp"

#include "tests/support/temp_directory.hpp"

namespace starling::simulation {

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::string& text, std::size_t peers = 8) {
  try {
    (void)parse_platform(text, peers);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Platform, ASettingGivenTwiceIsRefused) {
  for (const char* name : {"lan", "wan", "torus:2x2"}) {
    for (const char* twice :
         {":bandwidth=1e9:bandwidth=2e9", ":latency=1ms:bandwidth=1:latency=1ms"}) {
      EXPECT_THROW(parse_platform(std::string(name) + twice, 4), ConfigError) << name << twice;
    }
  }
}

TEST(Platform, ParsesNamesAndSettings) {
  EXPECT_EQ(parse_platform("lan", 3).kind, Platform::Kind::lan);
  EXPECT_EQ(parse_platform("wan", 3).kind, Platform::Kind::wan);
  const Platform torus = parse_platform("torus:4x2:bandwidth=20M:latency=10us", 8);
  EXPECT_EQ(torus.kind, Platform::Kind::torus);
  EXPECT_THAT(torus.extents, ElementsAre(4, 2));
  EXPECT_EQ(torus.bandwidth, 20e6);
  EXPECT_EQ(torus.latency, 10e-6);
  EXPECT_THAT(parse_platform("torus:4x4x4:latency=1e-6", 64).extents, ElementsAre(4, 4, 4));
  EXPECT_THAT(parse_platform("torus:5", 5).extents, ElementsAre(5));
}

TEST(Platform, RefusesWithTheNearestName) {
  EXPECT_THAT(refusal("wam"), HasSubstr("did you mean 'wan'?"));
  EXPECT_THAT(refusal("tours:4x2"), HasSubstr("did you mean 'torus'?"));
  EXPECT_THAT(refusal("lan:latncy=1"), HasSubstr("did you mean 'latency'?"));
  EXPECT_THAT(refusal("lan:bandwidth=fast"), HasSubstr("expected bandwidth=BITS"));
  EXPECT_THAT(refusal("lan:latency"), HasSubstr("expected latency=TIME"));
  EXPECT_THAT(refusal(""), HasSubstr("unknown platform"));
}

TEST(Platform, ATorusIsFull) {
  EXPECT_THAT(refusal("torus:4x4"), AllOf(HasSubstr("16 hosts"), HasSubstr("8 peers")));
  for (const char* text : {"torus", "torus:", "torus:4x", "torus:0x8", "torus:4xB", "torus:-1"}) {
    EXPECT_THAT(refusal(text), HasSubstr("expected extents")) << text;
  }
  EXPECT_THAT(refusal("torus:1000000x1000000x1000000"), HasSubstr("more than a million"));
}

TEST(Platform, FilesMustExistAndHoldNoSurprises) {
  EXPECT_THAT(refusal("/no/such/platform.xml"),
              AllOf(HasSubstr("/no/such/platform.xml"), HasSubstr("No such file")));
  EXPECT_THAT(refusal(std::string(5000, 'x')), HasSubstr("unknown platform"));
  const auto path = std::filesystem::path(::testing::TempDir()) / "starling_platform_test.xml";
  std::ofstream(path) << "<platform version=\"4.1\"><config/></platform>";
  EXPECT_THAT(refusal(path), HasSubstr("<config"));
  std::ofstream(path) << "<host id=\"a\" speed=\"1f\" state_file=\"x\"/>";
  EXPECT_THAT(refusal(path), AllOf(HasSubstr("state_file"), HasSubstr("faults file")));
  std::filesystem::remove(path);
}

TEST(Platform, AFileThatNeverEndsIsNotWaitedFor) {
  const testing::TempDirectory folder;
  const std::string pipe = (folder / "pipe.xml").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(refusal(pipe), HasSubstr("expected a regular file"));
  std::filesystem::create_symlink("/dev/zero", folder / "zero.xml");
  EXPECT_THAT(refusal((folder / "zero.xml").string()), HasSubstr("expected a regular file"));
}

TEST(Platform, WanLinksAreWithinBoundsAndOfTheSeed) {
  const Platform wan = parse_platform("wan", 1);
  for (std::size_t host = 0; host < 200; ++host) {
    const WanLink link = draw_wan_link(wan, 7, host);
    EXPECT_GE(std::min(link.up, link.down), 20e6);
    EXPECT_LE(std::max(link.up, link.down), 200e6);
    EXPECT_GE(link.latency, 0.010);
    EXPECT_LE(link.latency, 0.100);
  }
  EXPECT_EQ(draw_wan_link(wan, 7, 3).up, draw_wan_link(wan, 7, 3).up);
  EXPECT_NE(draw_wan_link(wan, 7, 3).up, draw_wan_link(wan, 8, 3).up);
  EXPECT_NE(draw_wan_link(wan, 7, 3).up, draw_wan_link(wan, 7, 4).up);
  const Platform fixed = parse_platform("wan:bandwidth=50M:latency=30ms", 1);
  EXPECT_EQ(draw_wan_link(fixed, 7, 3).down, 50e6);
  EXPECT_EQ(draw_wan_link(fixed, 7, 3).latency, 0.030);
}

TEST(Platform, KnowsWhatAMessageTakesBetweenIdleHosts) {
  const auto takes = [](const char* text, std::size_t bytes) {
    return seconds(typical_transfer(parse_platform(text, 4), 4, 7, bytes));
  };
  EXPECT_NEAR(takes("lan", 1'000'000), 1e-4 + 8e6 / 0.97e9, 1e-9);
  EXPECT_NEAR(takes("torus:2x2", 1'000'000), 1e-6 + 8e6 / 10e9, 1e-9);
  EXPECT_NEAR(
      takes("wan:bandwidth=50M:latency=30ms", 1'000'000), 0.030 + 8e6 / (0.97 * 50e6), 1e-9);
  // Drawn: 10 to 100 ms, 20 to 200 Mbit/s.
  EXPECT_GT(takes("wan", 1'000'000), 0.010 + 8e6 / (0.97 * 200e6));
  EXPECT_LT(takes("wan", 1'000'000), 0.100 + 8e6 / (0.97 * 20e6));
}

TEST(Platform, TheCatalogHasEveryKind) {
  std::vector<std::string> names;
  for (const PlatformEntry& entry : kPlatformCatalog) {
    names.emplace_back(entry.name);
    EXPECT_FALSE(entry.summary.empty());
  }
  EXPECT_THAT(names, ElementsAre("lan", "wan", "torus:AxB[xC]", "FILE.xml"));
}

}  // namespace

}  // namespace starling::simulation
