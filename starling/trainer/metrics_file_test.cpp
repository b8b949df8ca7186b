#include "starling/trainer/metrics_file.hpp"

#include <chrono>
#include <limits>
#include <sstream>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "starling/core/error.hpp"

#include "tests/support/small_disk.hpp"
#include "tests/support/temp_directory.hpp"

namespace starling::trainer {
namespace {

using ::testing::AllOf;
using testing::content_of;
using ::testing::HasSubstr;
using testing::TempDirectory;
using Json = nlohmann::json;

std::vector<Json> lines_of(const std::filesystem::path& path) {
  std::istringstream content(content_of(path));
  std::vector<Json> lines;
  for (std::string line; std::getline(content, line);) {
    lines.push_back(Json::parse(line));
  }
  return lines;
}

SnapshotReport two_peers() {
  SnapshotReport report;
  report.step = 10;
  report.time = Time(std::chrono::milliseconds(1500));
  report.ranks = {0, 1};
  report.loss = {0.5, std::numeric_limits<double>::quiet_NaN()};
  report.distance = {4.0, 4.0};
  report.consensus_distance = 4.0;
  report.mean_drift = std::numeric_limits<double>::infinity();
  return report;
}

TEST(MetricsFile, WritesEveryTypeOfLine) {
  const TempDirectory directory;
  const auto path = directory / "metrics.jsonl";
  MetricsFile file(path, MetricsFile::Mode::fresh);
  file.config({{"algorithm", "sgp"}, {"lr", "0.05"}, {"seed", "18446744073709551615"}});
  file.step({.step = 1,
             .peers = 2,
             .loss_mean = 0.5,
             .loss_min = 0.25,
             .loss_max = 0.75,
             .samples = 64,
             .learning_rate = 0.5F});
  file.peers(two_peers(), {{"accuracy_averaged_model", 0.85}});
  file.event({PeerId{3}, Time(std::chrono::seconds(2)), PartnerLost{PeerId{1}, 7, "deadline"}});
  file.close();

  const std::vector<Json> lines = lines_of(path);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], Json::parse(R"({"type": "config", "algorithm": "sgp", "lr": 0.05,
                                      "seed": 18446744073709551615})"));
  EXPECT_EQ(lines[1], Json::parse(R"({"type": "step", "step": 1, "time": 0.0, "peers": 2,
      "loss": {"mean": 0.5, "min": 0.25, "max": 0.75}, "learning_rate": 0.5, "samples": 64})"));
  EXPECT_EQ(lines[2], Json::parse(R"({"type": "peers", "step": 10, "time": 1.5,
      "consensus_distance": 4.0, "mean_drift": null, "accuracy_averaged_model": 0.85,
      "peer": [0, 1], "loss": [0.5, null], "distance": [4.0, 4.0]})"));
  EXPECT_EQ(lines[3]["type"], "event");
  EXPECT_EQ(lines[3]["severity"], "warning");
  EXPECT_EQ(lines[3]["event"], "partner_lost");
  EXPECT_EQ(lines[3]["peer"], 3);
  EXPECT_THAT(lines[3]["text"].get<std::string>(), HasSubstr("peer 1"));
}

TEST(MetricsFile, AFreshRunStartsAnewAndAResumedOneGoesOn) {
  const TempDirectory directory;
  const auto path = directory / "metrics.jsonl";
  for (const auto mode : {MetricsFile::Mode::fresh, MetricsFile::Mode::append}) {
    MetricsFile file(path, mode);
    file.step({.step = 1});
    file.close();
  }
  EXPECT_EQ(lines_of(path).size(), 2U);
  MetricsFile(path, MetricsFile::Mode::fresh).close();
  EXPECT_EQ(lines_of(path).size(), 0U);
}

/// A run that was killed, or a full disk, leaves any part of the last line, of whatever length.
TEST(MetricsFile, AResumedRunGoesOnBehindTheLastWholeLineWhereverItWasCut) {
  const TempDirectory directory;
  const auto path = directory / "metrics.jsonl";
  const std::string first = "{\"type\":\"config\"}\n";
  for (const std::size_t lines_before : {0U, 1U}) {
    for (const std::size_t text_bytes : {0U, 200U, 4080U, 4096U, 9000U}) {
      const std::string kept = lines_before == 0 ? "" : first;
      const std::string last = "{\"text\":\"" + std::string(text_bytes, 'x') + "\"}\n";
      const std::size_t stride = text_bytes > 200 ? 97 : 1;
      for (std::size_t cut = 1; cut <= last.size(); cut += stride) {
        testing::put_content(path, kept + last.substr(0, last.size() - cut));
        MetricsFile file(path, MetricsFile::Mode::append);
        file.config({{"steps", "7"}});
        file.close();
        ASSERT_EQ(content_of(path), kept + "{\"type\":\"config\",\"steps\":7}\n")
            << text_bytes << " cut by " << cut;
      }
      testing::put_content(path, kept + last);
      MetricsFile(path, MetricsFile::Mode::append).close();
      EXPECT_EQ(content_of(path), kept + last) << "a whole line stays";
    }
  }
}

TEST(MetricsFile, IsWrittenWithoutCloseToo) {
  const TempDirectory directory;
  const auto path = directory / "metrics.jsonl";
  { MetricsFile(path, MetricsFile::Mode::fresh).step({.step = 1}); }
  EXPECT_EQ(lines_of(path).size(), 1U);
}

TEST(MetricsFile, FlushMakesLinesVisible) {
  const TempDirectory directory;
  const auto path = directory / "metrics.jsonl";
  MetricsFile file(path, MetricsFile::Mode::fresh);
  file.step({.step = 1});
  EXPECT_EQ(lines_of(path).size(), 0U) << "buffered";
  file.flush();
  EXPECT_EQ(lines_of(path).size(), 1U);
}

TEST(MetricsFile, AFullDiskIsReportedOnceAndEndsNothing) {
  const TempDirectory directory;
  const auto path = directory / "metrics.jsonl";
  const testing::FileSizeLimit limit(100'000);
  MetricsFile file(path, MetricsFile::Mode::fresh);
  for (std::uint64_t step = 1; step <= 5000; ++step) {
    file.step({.step = step});
  }
  try {
    file.close();
    ADD_FAILURE() << "lines were lost without a word";
  } catch (const StorageError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr(path.string()),
                      HasSubstr("metrics are incomplete"),
                      HasSubstr("File too large")));
  }
  file.close();  // said once
}

TEST(MetricsFile, APlaceThatCannotBeWrittenIsRefusedAtOnce) {
  const TempDirectory directory;
  EXPECT_THROW(MetricsFile(directory / "no" / "metrics.jsonl", MetricsFile::Mode::fresh),
               StorageError);
}

}  // namespace
}  // namespace starling::trainer
