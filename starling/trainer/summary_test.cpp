#include "starling/trainer/summary.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace starling::trainer {
namespace {

using ::testing::UnorderedElementsAreArray;
using Json = nlohmann::json;

std::vector<std::string> keys_of(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) {
    keys.push_back(key);
  }
  return keys;
}

TEST(Summary, HasEveryKeyAndNoOther) {
  const std::vector<std::string> expected = {"algorithm",
                                             "world",
                                             "peers",
                                             "steps",
                                             "seed",
                                             "parameters_sha256",
                                             "loss",
                                             "accuracy_mean",
                                             "accuracy_min",
                                             "accuracy_max",
                                             "accuracy_averaged_model",
                                             "consensus_distance",
                                             "mean_drift",
                                             "training_loss",
                                             "samples_seen",
                                             "bytes_sent",
                                             "overhead_bytes",
                                             "messages_sent",
                                             "rejected_contributions",
                                             "partners_lost",
                                             "reports_dropped",
                                             "compute_seconds",
                                             "wait_seconds",
                                             "wall_seconds",
                                             "virtual_seconds",
                                             "step_seconds",
                                             "exit_code",
                                             "error",
                                             "notes"};
  EXPECT_THAT(keys_of(Json::parse(to_json(Summary{}))), UnorderedElementsAreArray(expected));
}

TEST(Summary, NumbersComeBackExactly) {
  Summary summary;
  summary.algorithm = "sgp";
  summary.seed = std::numeric_limits<std::uint64_t>::max();
  summary.loss = 0.1;
  summary.consensus_distance = 1e-300;
  summary.exit_code = ExitCode::interrupted;
  summary.notes = {"a \"quoted\" note"};
  const Json json = Json::parse(to_json(summary));
  EXPECT_EQ(json["algorithm"], "sgp");
  EXPECT_EQ(json["seed"].get<std::uint64_t>(), summary.seed);
  EXPECT_EQ(json["loss"].get<double>(), 0.1);
  EXPECT_EQ(json["consensus_distance"].get<double>(), 1e-300);
  EXPECT_EQ(json["exit_code"], 130);
  EXPECT_EQ(json["notes"][0], "a \"quoted\" note");
}

TEST(Summary, NumbersThatAreNotFiniteBecomeNull) {
  Summary summary;
  summary.loss = std::numeric_limits<double>::quiet_NaN();
  summary.mean_drift = std::numeric_limits<double>::infinity();
  const Json json = Json::parse(to_json(summary));
  EXPECT_TRUE(json["loss"].is_null());
  EXPECT_TRUE(json["mean_drift"].is_null());
}

TEST(Summary, WordsInAnyEncodingAreWritten) {
  Summary summary;
  summary.error = "caf\xE9";  // Latin-1: no UTF-8
  EXPECT_FALSE(Json::parse(to_json(summary))["error"].get<std::string>().empty());
}

}  // namespace
}  // namespace starling::trainer
