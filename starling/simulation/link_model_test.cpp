#include "starling/simulation/link_model.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "starling/peer/message.hpp"

namespace starling::simulation {
namespace {

collective::LinkModel model_of(const char* platform, std::size_t peers) {
  return link_model(parse_platform(platform, peers), peers, 7).value();
}

// Times of transfers are whole nanoseconds, over 2^30 bytes.
constexpr double kPerByte = 1e-9 / (1U << 30U);

TEST(LinkModel, OfALanIsWhatAMessageTakes) {
  const collective::LinkModel lan = model_of("lan:bandwidth=2e9:latency=50us", 6);
  const double beta = 8 / (kTcpShare * 2e9);
  EXPECT_NEAR(lan.beta_seconds_per_byte, beta, 2 * kPerByte);
  EXPECT_NEAR(lan.alpha_seconds, kMessageOverheadBytes * beta, 1e-12);
  EXPECT_NEAR(lan.hop_seconds, 50e-6, 1e-12);
  EXPECT_EQ(lan.gamma_seconds_per_byte, 0.0);
  EXPECT_TRUE(lan.torus.empty());
}

TEST(LinkModel, OfATorusHasItsShapeAndItsHops) {
  const collective::LinkModel torus = model_of("torus:4x2x3", 24);
  EXPECT_EQ(torus.torus, (std::vector<std::size_t>{4, 2, 3}));
  EXPECT_EQ(torus.hop_seconds, 1e-6);
  EXPECT_NEAR(torus.beta_seconds_per_byte, 8 / 10e9, 2 * kPerByte);
  EXPECT_NEAR(torus.alpha_seconds, kMessageOverheadBytes * 8 / 10e9, 1e-12);
}

TEST(LinkModel, OfAWanLiesWithinWhatIsDrawn) {
  const collective::LinkModel wan = model_of("wan", 50);
  EXPECT_GT(wan.hop_seconds, 0.010);
  EXPECT_LT(wan.hop_seconds, 0.100);
  EXPECT_GT(wan.beta_seconds_per_byte, 8 / (kTcpShare * 200e6));
  EXPECT_LT(wan.beta_seconds_per_byte, 8 / (kTcpShare * 20e6));
}

TEST(LinkModel, OfAFileIsUnknown) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "starling_link_model_test.xml";
  std::ofstream(path) << "<platform version=\"4.1\"/>";
  EXPECT_FALSE(link_model(parse_platform(path.string(), 2), 2, 7).has_value());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace starling::simulation
