// What the program prints, word for word, and the documents that repeat it.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "starling/algorithm/registry.hpp"
#include "starling/cli/command_line.hpp"
#include "starling/cli/help.hpp"
#include "starling/collective/catalog.hpp"
#include "starling/topology/catalog.hpp"

#include "tests/cli/process.hpp"
#include "tests/support/temp_directory.hpp"

namespace starling::testing {
namespace {

const std::filesystem::path kSources = STARLING_SOURCE_DIR;

/// Compares with tests/cli/golden/NAME. With STARLING_UPDATE_GOLDEN set the file is written
/// instead, to be looked at and committed.
void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = kSources / "tests/cli/golden" / name;
  if (std::getenv("STARLING_UPDATE_GOLDEN") != nullptr) {
    put_content(path, text);
    return;
  }
  EXPECT_EQ(text, content_of(path))
      << "differs from " << path << "; STARLING_UPDATE_GOLDEN=1 rewrites it";
}

TEST(Transcript, Help) {
  const Outcome outcome = run_starling({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  expect_golden("help.txt", outcome.out);
}

TEST(Transcript, HelpOfTrain) {
  const Outcome outcome = run_starling({"train", "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  expect_golden("train-help.txt", outcome.out);
}

TEST(Transcript, HelpOfAverage) {
  const Outcome outcome = run_starling({"average", "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  expect_golden("average-help.txt", outcome.out);
}

TEST(Transcript, HelpOfBench) {
  const Outcome outcome = run_starling({"bench", "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  expect_golden("bench-help.txt", outcome.out);
}

TEST(Transcript, HelpOfList) {
  const Outcome outcome = run_starling({"list", "--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  expect_golden("list-help.txt", outcome.out);
}

TEST(Transcript, ListsWithOneEntry) {
  const Outcome outcome = run_starling({"list", "codecs"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "NAME  WHAT IS SENT\nnone  the numbers as they are: 4 bytes each\n");
}

TEST(Transcript, ListOfCollectives) {
  const Outcome outcome = run_starling({"list", "collectives"});
  EXPECT_EQ(outcome.exit_code, 0);
  expect_golden("list-collectives.txt", outcome.out);
}

TEST(Transcript, WrongCommands) {
  const auto err = [](std::vector<std::string> arguments) {
    const Outcome outcome = run_starling(std::move(arguments));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_EQ(
      err({}),
      "command line: expected a command: train, average, bench or list; see starling --help\n");
  EXPECT_EQ(err({"trian"}), "command line: trian: unknown command; did you mean 'train'?\n");
  EXPECT_EQ(err({"--jsn"}), "command line: --jsn: unknown option; see starling --help\n");
  EXPECT_EQ(err({"list", "topologys"}),
            "command line: topologys: cannot be listed; did you mean 'topologies'?\n");
  EXPECT_EQ(err({"list", "data", "models"}),
            "command line: models: unexpected word; one list at a time\n");
  EXPECT_EQ(
      err({"list", "data", "--peers", "4"}),
      "command line: --peers: has no effect on this list; starling list topologies takes it\n");
  EXPECT_EQ(err({"list", "topologies", "--peers", "0"}),
            "command line: --peers: expected a whole number, 1 to 4096, found '0'\n");
  EXPECT_EQ(err({"train", "ring"}),
            "command line: ring: unexpected word; options of starling train begin with --\n");
  EXPECT_EQ(err({"average", "ring"}),
            "command line: ring: unexpected word; options of starling average begin with --\n");
}

TEST(Lists, EveryListHasATableAndTheSameEntriesAsJson) {
  for (const std::string& kind : cli::list_kinds()) {
    const Outcome table = run_starling({"list", kind});
    const Outcome json = run_starling({"list", kind, "--json"});
    ASSERT_EQ(table.exit_code, 0) << kind << table.err;
    ASSERT_EQ(json.exit_code, 0) << kind << json.err;
    const auto entries = nlohmann::json::parse(json.out);
    ASSERT_FALSE(entries.empty()) << kind;
    for (const auto& entry : entries) {
      std::string line_start = "\n";
      line_start += entry.at("name").get<std::string>();
      EXPECT_NE(table.out.find(line_start), std::string::npos) << kind << ": " << entry;
    }
  }
}

TEST(Lists, AlgorithmsAreThoseOfTheRegistry) {
  const auto entries = nlohmann::json::parse(run_starling({"list", "algorithms", "--json"}).out);
  ASSERT_EQ(entries.size(), algorithm::registry().size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    EXPECT_EQ(entries[k].at("name"), algorithm::registry()[k].name);
    EXPECT_EQ(entries[k].at("options"), algorithm::registry()[k].options);
  }
}

TEST(Lists, CollectivesShowTheParametersTheyTake) {
  const auto entries = nlohmann::json::parse(run_starling({"list", "collectives", "--json"}).out);
  ASSERT_EQ(entries.size(), collective::catalog().size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto expected = collective::catalog()[k].parameters();
    const auto& found = entries[k].at("parameters");
    ASSERT_EQ(found.size(), expected.size()) << entries[k];
    for (std::size_t p = 0; p < found.size(); ++p) {
      EXPECT_EQ(found[p].at("name"), expected[p].name);
      EXPECT_EQ(found[p].at("form"), expected[p].form);
      EXPECT_EQ(found[p].at("default"), expected[p].standard);
      EXPECT_EQ(found[p].at("meaning"), expected[p].meaning);
    }
  }
}

/// Known in closed form: ring of n with weights 1/3 has beta = 1/3 + 2/3 cos(2 pi / n); full
/// averages in one round; one-peer exponential on a power of two is exact after log2 n.
TEST(Lists, TopologiesShowTheirSpectralGap) {
  const auto outcome = run_starling({"list", "topologies", "--peers", "8", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::size_t seen = 0;
  for (const auto& entry : nlohmann::json::parse(outcome.out)) {
    const std::string name = entry.at("name");
    if (name == "ring") {
      // Exact in a handful of roundings of n^3 operations: 8^3 * 2^-53 is below 1e-12.
      EXPECT_NEAR(
          entry.at("spectral_gap").get<double>(), 2.0 / 3.0 * (1.0 - std::sqrt(0.5)), 1e-12);
      ++seen;
    } else if (name == "full") {
      EXPECT_NEAR(entry.at("spectral_gap").get<double>(), 1.0, 1e-12);
      ++seen;
    } else if (name == "exponential:ORDER") {
      EXPECT_EQ(entry.at("exact_after"), 3);
      ++seen;
    }
  }
  EXPECT_EQ(seen, 3U);
}

TEST(Lists, AShapeThatDoesNotExistIsSaidSo) {
  const auto outcome = run_starling({"list", "topologies", "--peers", "7"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("no such shape"), std::string::npos) << outcome.out;
}

TEST(Output, AReaderThatLeavesIsNoError) {
  const std::string program = STARLING_PROGRAM;
  EXPECT_EQ(std::system(("bash -c 'set -o pipefail; \"" + program +
                         "\" list topologies | head -1 >/dev/null'")
                            .c_str()),
            0);
}

TEST(Output, AFullDiskIsAnErrorOfStorage) {
  const std::string program = STARLING_PROGRAM;
  const int status = std::system(("\"" + program + "\" --help >/dev/full 2>/dev/null").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(Output, AClosedStandardOutputIsAnErrorWhereResultsGoThere) {
  const TempDirectory folder;
  const std::string program = STARLING_PROGRAM;
  const std::string errors = (folder / "errors").string();
  const std::string run = "train --model quadratic:d=3 --peers 2 --steps 2 --quiet";
  for (const std::string& words : {std::string("--help"), std::string("list models"), run}) {
    const std::string command = "\"" + program + "\" " + words + " <&- >&- 2>";
    EXPECT_EQ(WEXITSTATUS(std::system((command + errors).c_str())), 7) << words;
    EXPECT_NE(content_of(errors).find("starling: error: standard output: cannot write"),
              std::string::npos)
        << content_of(errors);
    EXPECT_EQ(WEXITSTATUS(std::system((command + "&-").c_str())), 7) << words;
  }
}

TEST(Output, NothingIsMissedOnAClosedStandardError) {
  const std::string program = STARLING_PROGRAM;
  const int status = std::system(("\"" + program + "\" --help <&- >/dev/null 2>&-").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

/// A folder holds one run: whoever types the commands one after the other would be refused.
TEST(Documents, NoTwoCommandsShareAFolder) {
  std::string text =
      cli::program_help() + cli::train_help() + cli::average_help() + cli::bench_help();
  for (const char* page :
       {"README.md", "docs/program.md", "docs/simulation.md", "docs/models.md"}) {
    text += content_of(kSources / page);
  }
  const std::string option = "--out ";
  std::set<std::string> folders;
  for (std::size_t at = text.find(option + "runs/"); at != std::string::npos;
       at = text.find(option + "runs/", at + 1)) {
    const std::size_t begin = at + option.size();
    const std::string folder = text.substr(begin, text.find_first_of(" `\n", begin) - begin);
    EXPECT_TRUE(folders.insert(folder).second) << folder << " stands in two commands";
  }
  EXPECT_GE(folders.size(), 5U);
}

TEST(Documents, ProgramPageShowsTheTablesOfOptions) {
  const std::string page = content_of(kSources / "docs/program.md");
  for (const cli::OptionSet* options :
       {&cli::train_options(), &cli::average_options(), &cli::bench_options()}) {
    EXPECT_NE(page.find(cli::options_markdown(*options)), std::string::npos)
        << "docs/program.md should contain\n"
        << cli::options_markdown(*options);
  }
}

TEST(Documents, ReadmeShowsTheListOfAlgorithmsAsPrinted) {
  const std::string list = run_starling({"list", "algorithms"}).out;
  EXPECT_NE(content_of(kSources / "README.md").find("```\n" + list + "```\n"), std::string::npos)
      << "README.md should contain\n"
      << list;
}

TEST(Documents, ProgramPageShowsTheParametersOfCollectivesAsPrinted) {
  const std::string list = run_starling({"list", "collectives"}).out;
  const std::string table = list.substr(list.find("\nPARAMETER") + 1);
  EXPECT_NE(content_of(kSources / "docs/program.md").find("```\n" + table + "```\n"),
            std::string::npos)
      << "docs/program.md should contain\n"
      << table;
}

TEST(Documents, ProgramPageShowsTheExitCodes) {
  const std::string page = content_of(kSources / "docs/program.md");
  EXPECT_NE(page.find(cli::exit_codes_markdown()), std::string::npos)
      << "docs/program.md should contain\n"
      << cli::exit_codes_markdown();
}

}  // namespace
}  // namespace starling::testing
