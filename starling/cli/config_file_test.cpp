#include "starling/cli/config_file.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace starling::cli {
namespace {

std::vector<std::string> findings(std::string_view text) {
  std::vector<std::string> lines;
  for (const Finding& finding : read_config(train_options(), "f", text).findings) {
    lines.push_back(finding.line());
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(ConfigFile, GivesValuesAsTheCommandLineWould) {
  const Reading reading = read_config(train_options(), "f", R"(
[run]
peers = 4
timeout = 2
inject = ["1:2:nan", "3:4:inf"]
[optimizer]
lr = 1e-3
lr-drop-at = [0.5, 100]
[output]
json = true
out = "runs/x"
)");
  EXPECT_TRUE(reading.findings.empty());
  std::vector<std::pair<std::string, std::string>> given;
  for (const Assignment& one : reading.assignments) {
    given.emplace_back(one.source.text() + " " + one.option->name, one.value);
  }
  std::sort(given.begin(), given.end());
  const std::vector<std::pair<std::string, std::string>> expected{{"f:10 json", "true"},
                                                                  {"f:11 out", "runs/x"},
                                                                  {"f:3 peers", "4"},
                                                                  {"f:4 timeout", "2"},
                                                                  {"f:5 inject", "1:2:nan,3:4:inf"},
                                                                  {"f:7 lr", "0.001"},
                                                                  {"f:8 lr-drop-at", "0.5,100"}};
  EXPECT_EQ(given, expected);
}

TEST(ConfigFile, RefusesEveryWrongTypeInItsOwnWords) {
  EXPECT_EQ(findings("[data]\nbatch = \"32\"\n"),
            Lines{"f:2: batch: expected a whole number, found the string \"32\""});
  EXPECT_EQ(findings("[data]\nbatch = 3.5\n"),
            Lines{"f:2: batch: expected a whole number, found 3.5"});
  EXPECT_EQ(findings("[data]\nbatch = [1]\n"),
            Lines{"f:2: batch: expected a whole number, found a list"});
  EXPECT_EQ(findings("[data]\ndata = 3\n"), Lines{"f:2: data: expected a string, found 3"});
  EXPECT_EQ(findings("[output]\njson = 1\n"), Lines{"f:2: json: expected true or false, found 1"});
  EXPECT_EQ(findings("[optimizer]\nlr = 2024-01-01\n"),
            Lines{"f:2: lr: expected a number, found a date or time"});
  EXPECT_EQ(findings("[optimizer]\nlr-drop-at = [\"x\"]\n"),
            Lines{"f:2: lr-drop-at: expected a list of numbers, found a list"});
}

TEST(ConfigFile, KnowsWhereAKeyBelongs) {
  EXPECT_EQ(findings("batch = 3\n"),
            Lines{"f:1: batch: stands before any section, but belongs in [data]"});
  EXPECT_EQ(findings("[run]\nbatch = 3\n"),
            Lines{"f:2: batch: is in [run], but belongs in [data]"});
}

TEST(ConfigFile, ReportsEveryKeyGivenTwiceAndStillTheRest) {
  EXPECT_EQ(findings("[run]\npeers = 1\npeers = 2\npeers = 3\n[data]\nbatc = 1\n"),
            (Lines{"f:3: peers: is given twice in its section",
                   "f:4: peers: is given twice in its section",
                   "f:6: batc: unknown key; did you mean 'batch'?"}));
}

TEST(ConfigFile, ReportsASectionGivenTwice) {
  const Lines lines = findings("[run]\npeers = 1\n[run]\nseed = 2\n");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].substr(0, 5), "f:3: ");
}

TEST(ConfigFile, SurvivesNonsense) {
  for (const char* text : {"=",
                           "[",
                           "]",
                           "\xff\xfe",
                           "a = ",
                           "[run]\npeers = 1 2",
                           "\"\"\"",
                           "[[run]]\n",
                           "run = 3\n",
                           "[run.peers]\n",
                           "[run]\npeers = {}\n"}) {
    EXPECT_FALSE(findings(text).empty()) << text;
  }
  EXPECT_TRUE(findings("").empty());
  EXPECT_TRUE(findings("# a comment\n").empty());
}

TEST(ConfigFile, AFolderIsNoConfiguration) {
  const Reading reading = read_config_file(train_options(), "/tmp");
  ASSERT_EQ(reading.findings.size(), 1U);
  EXPECT_EQ(reading.findings[0].line(), "/tmp: cannot read the configuration: Is a directory");
}

}  // namespace
}  // namespace starling::cli
