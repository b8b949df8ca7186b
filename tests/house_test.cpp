// Reads the sources of the project and checks the rules of the house on them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/house/rules.hpp"

namespace starling::house {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = STARLING_SOURCE_DIR;

SourceFile read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {path.lexically_relative(kRoot).generic_string(),
          std::string(std::istreambuf_iterator<char>(file), {})};
}

/// The project's own text, without what is built or written by runs.
std::vector<SourceFile> read_tree() {
  std::vector<SourceFile> files{read(kRoot / "CMakeLists.txt")};
  for (const char* folder :
       {"starling", "tests", "bench", "examples", "scripts", "cmake", "docs", ".ci"}) {
    if (!fs::exists(kRoot / folder)) {
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.is_regular_file()) {
        files.push_back(read(entry.path()));
      }
    }
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) {
    return a.path < b.path;
  });
  return files;
}

const std::vector<SourceFile>& tree() {
  static const std::vector<SourceFile> files = read_tree();
  return files;
}

template <class Rule>
Findings on_every_code_file(Rule rule) {
  Findings all;
  for (const SourceFile& file : tree()) {
    if (!is_code(file)) {
      continue;
    }
    const Findings findings = rule(file);
    all.insert(all.end(), findings.begin(), findings.end());
  }
  return all;
}

void expect_none(const Findings& findings) {
  EXPECT_TRUE(findings.empty()) << to_string(findings);
}

TEST(House, HasBeenRead) {
  const auto code = std::count_if(tree().begin(), tree().end(), is_code);
  EXPECT_GT(code, 100) << "the sources below " << kRoot;
}

TEST(House, RoomsIncludeOnlyRoomsAbove) {
  expect_none(on_every_code_file(check_inclusion_order));
}

TEST(House, NothingIsUsedOutsideItsHome) {
  expect_none(on_every_code_file(check_banned));
}

TEST(House, PublicHeadersIncludeNoThirdParty) {
  const std::set<std::string> listed = listed_files(tree());
  expect_none(on_every_code_file([&](const SourceFile& file) {
    const bool is_public = is_header(file) && listed.contains(file.path);
    return is_public ? check_third_party_headers(file) : Findings();
  }));
}

TEST(House, FilesKeepTheirForm) {
  expect_none(on_every_code_file(check_form));
}

TEST(House, IncludesArePathsFromTheRoot) {
  std::set<std::string> paths;
  for (const SourceFile& file : tree()) {
    paths.insert(file.path);
  }
  expect_none(on_every_code_file(
      [&](const SourceFile& file) { return check_includes_from_root(file, paths); }));
}

TEST(House, EveryFileIsListedForTheBuild) {
  expect_none(check_listed(tree()));
}

TEST(House, ScriptsCanBeRun) {
  Findings all;
  for (const SourceFile& file : tree()) {
    if (!file.path.starts_with("scripts/") && file.path != ".ci/run") {
      continue;
    }
    const auto permissions = fs::status(kRoot / file.path).permissions();
    const bool is_executable = (permissions & fs::perms::owner_exec) != fs::perms::none;
    const Findings findings = check_script(file, is_executable);
    all.insert(all.end(), findings.begin(), findings.end());
  }
  expect_none(all);
}

TEST(House, ReadmeNamesTheTwoCommands) {
  expect_none(check_readme(read(kRoot / "README.md")));
}

}  // namespace
}  // namespace starling::house
