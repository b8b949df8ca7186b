// starling bench from outside: what it prints, what it draws, what it refuses.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "starling/collective/catalog.hpp"

#include "tests/cli/process.hpp"
#include "tests/support/temp_directory.hpp"

namespace starling::testing {
namespace {

using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool build_has_simulation() {
  return contains(run_starling({"--version"}).out, "sim");
}

Outcome bench(Words words) {
  words.insert(words.begin(), "bench");
  return run_starling(words);
}

std::vector<nlohmann::json> json_of(Words words) {
  words.emplace_back("--json");
  const Outcome outcome = bench(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::vector<nlohmann::json> rows;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    rows.push_back(nlohmann::json::parse(line));
  }
  return rows;
}

TEST(Bench, JsonHasTheDocumentedFields) {
  const auto rows = json_of({"all-reduce",
                             "--algorithm",
                             "ring,circulant",
                             "--peers",
                             "3",
                             "--sizes",
                             "64,1KiB..4KiB",
                             "--type",
                             "f64",
                             "--repeats",
                             "2"});
  ASSERT_EQ(rows.size(), 6U);
  for (const auto& row : rows) {
    for (const char* field : {"bytes",
                              "n",
                              "seconds_median",
                              "seconds_min",
                              "bus_bandwidth",
                              "bytes_per_peer",
                              "predicted_seconds",
                              "prediction_error",
                              "scale"}) {
      EXPECT_TRUE(row.at(field).is_number()) << field;
    }
    EXPECT_EQ(row.size(), 13U);
    EXPECT_EQ(row.at("operation"), "all-reduce");
    EXPECT_EQ(row.at("type"), "f64");
    EXPECT_EQ(row.at("n"), 3);
  }
  EXPECT_EQ(rows[0].at("bytes"), 64);
  EXPECT_EQ(rows[1].at("algorithm"), "circulant");
  EXPECT_EQ(rows[5].at("bytes"), 4096);
}

TEST(Bench, AllHasARowOfEveryAlgorithmOrSaysWhyNot) {
  const Outcome outcome = bench(
      {"all-reduce", "--algorithm", "all", "--peers", "6", "--sizes", "4KiB", "--repeats", "1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(
      contains(outcome.out, "all-reduce (sum) of f32, 6 peers on threads; predictions for"));
  EXPECT_TRUE(contains(outcome.out, "BUS BANDWIDTH")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\nauto "));
  for (const std::string& name : collective::names_for(collective::Operation::all_reduce)) {
    EXPECT_NE(contains(outcome.out, "\n" + name + " "),
              contains(outcome.err, "left out: " + name + ":"))
        << name << "\n"
        << outcome.out << outcome.err;
  }
}

TEST(Bench, ASimulatedTorusIsPredicted) {
  if (!build_has_simulation()) {
    EXPECT_TRUE(contains(bench({"--on", "sim"}).err, "on: this build has no simulation"));
    return;
  }
  const auto on_torus = [](const char* algorithms, const char* sizes) {
    return json_of({"all-reduce",
                    "--algorithm",
                    algorithms,
                    "--on",
                    "sim",
                    "--platform",
                    "torus:4x2",
                    "--peers",
                    "8",
                    "--sizes",
                    sizes});
  };
  const auto long_ones = on_torus("recursive-doubling", "64KiB,72MiB");
  ASSERT_EQ(long_ones.size(), 2U);
  for (const auto& row : long_ones) {
    // Its messages of a round start together and are equally long.
    EXPECT_NEAR(row.at("prediction_error").get<double>(), 0.0, 0.01) << row;
  }
  EXPECT_EQ(long_ones[0].at("scale"), 1);
  EXPECT_EQ(long_ones[1].at("scale"), 2);  // eight times 72 MiB are more than 512
  const auto chosen = on_torus("ring,auto", "16KiB");
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_LE(chosen[1].at("predicted_seconds"), chosen[0].at("predicted_seconds"));
  EXPECT_EQ(on_torus("ring,auto", "16KiB"), chosen);
}

TEST(Bench, EveryPlatformIsTimed) {
  if (!build_has_simulation()) {
    return;
  }
  for (const char* platform : {"lan", "wan", "torus:5"}) {
    const auto rows = json_of(
        {"broadcast", "--on", "sim", "--platform", platform, "--peers", "5", "--sizes", "1MiB"});
    ASSERT_EQ(rows.size(), 1U) << platform;
    EXPECT_GT(rows[0].at("predicted_seconds"), 0.0) << platform;
  }
}

TEST(Bench, ABarrierIsOneRow) {
  const auto rows = json_of({"barrier", "--peers", "4", "--repeats", "1"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("bytes"), 0);
}

TEST(Bench, DrawsAPlot) {
  const TempDirectory folder;
  const std::string plot = (folder / "time.svg").string();
  const Outcome outcome = bench({"broadcast",
                                 "--algorithm",
                                 "binomial",
                                 "--peers",
                                 "2",
                                 "--sizes",
                                 "1KiB..16KiB",
                                 "--repeats",
                                 "1",
                                 "--plot",
                                 plot});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string svg = content_of(plot);
  EXPECT_TRUE(svg.starts_with("<?xml"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_TRUE(contains(svg, ">broadcast of f32, 2 peers on threads</title>"));
  EXPECT_TRUE(contains(svg, ">binomial</text>"));
}

TEST(Bench, ItsConfigurationGivesTheSameRun) {
  const TempDirectory folder;
  const Outcome config = bench({"reduce",
                                "--reduction",
                                "max",
                                "--root",
                                "1",
                                "--peers",
                                "2",
                                "--sizes",
                                "1KiB..4KiB,9KiB",
                                "--algorithm",
                                "auto,binomial",
                                "--repeats",
                                "1",
                                "--print-config"});
  ASSERT_EQ(config.exit_code, 0) << config.err;
  for (const char* part : {"[bench]\n",
                           "operation = \"reduce\"",
                           "algorithm = [\"auto\", \"binomial\"]",
                           "sizes = [\"1KiB..4KiB\", \"9KiB\"]",
                           "root = 1"}) {
    EXPECT_TRUE(contains(config.out, part)) << part << "\n" << config.out;
  }
  put_content(folder / "bench.toml", config.out);
  const auto rows = json_of({"--config", (folder / "bench.toml").string()});
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[5].at("operation"), "reduce");
  EXPECT_EQ(rows[5].at("bytes"), 9 * 1024);
}

TEST(Bench, RefusesWhatHasNoEffectOrDoesNotExist) {
  const auto refusal = [](Words words) {
    const Outcome outcome = bench(std::move(words));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_EQ(refusal({"all-reduse"}),
            "command line: operation: 'all-reduse' is unknown; did you mean 'all-reduce'?\n");
  EXPECT_EQ(refusal({"barrier", "gather"}),
            "command line: gather: unexpected word; options of starling bench begin with --\n");
  EXPECT_EQ(refusal({"barrier", "--operation", "barrier"}),
            "command line: barrier: unexpected word; --operation is given, too\n");
  EXPECT_TRUE(contains(refusal({"--algorithm", "rnig"}),
                       "command line: algorithm: no algorithm is called 'rnig'; did you mean"));
  EXPECT_TRUE(contains(refusal({"--sizes", "1kB"}), "sizes: expected sizes like 64KiB"));
  EXPECT_TRUE(contains(refusal({"--sizes", "2", "--type", "f64"}), "sizes: 2B hold no f64 of 8B"));
  EXPECT_TRUE(contains(refusal({"--root", "1"}), "root: has no effect with operation all-reduce"));
  EXPECT_TRUE(contains(refusal({"broadcast", "--root", "9", "--peers", "4"}),
                       "root: expected one of the ranks 0 to 3, found 9"));
  EXPECT_TRUE(contains(refusal({"broadcast", "--reduction", "max"}),
                       "reduction: has no effect with operation broadcast"));
  EXPECT_TRUE(contains(refusal({"barrier", "--sizes", "4KiB"}),
                       "sizes: has no effect with operation barrier"));
  EXPECT_TRUE(contains(refusal({"--seed", "3"}), "seed: has no effect: nothing is drawn"));
  EXPECT_TRUE(contains(refusal({"--platform", "lan"}), "platform: has no effect"));
  EXPECT_TRUE(contains(refusal({"--plot", "no/such/folder/x.svg"}), "plot: there is no folder"));
  if (build_has_simulation()) {
    EXPECT_TRUE(contains(refusal({"--on", "sim", "--repeats", "3"}), "repeats: has no effect"));
  }
}

}  // namespace
}  // namespace starling::testing
