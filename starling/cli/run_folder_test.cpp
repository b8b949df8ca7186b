#include "starling/cli/run_folder.hpp"

#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "starling/core/error.hpp"

#include "tests/support/temp_directory.hpp"

namespace starling::cli {
namespace {

using starling::testing::content_of;
using starling::testing::put_content;
using starling::testing::TempDirectory;

Settings settings_for(const std::filesystem::path& out) {
  Settings settings;
  settings.experiment.out = out;
  return settings;
}

TEST(FolderLock, LetsOneRunIn) {
  const TempDirectory folder;
  std::optional<FolderLock> first(std::in_place, folder / "a/b", "out");
  EXPECT_THROW(FolderLock(folder / "a/b", "out"), ConfigError);
  first.reset();
  EXPECT_NO_THROW(FolderLock(folder / "a/b", "out"));
}

TEST(FolderLock, LeavesNothingBehind) {
  const TempDirectory folder;
  { const FolderLock lock(folder.path(), "out"); }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FolderLock, RefusesWhatIsNoFolder) {
  const TempDirectory folder;
  put_content(folder / "file", "x");
  EXPECT_THROW(FolderLock(folder / "file", "out"), StorageError);
  EXPECT_THROW(FolderLock(folder / "file/below", "out"), StorageError);
}

TEST(RunFolder, ARunThatEndedBeforeItsFirstStepIsNoRun) {
  const TempDirectory folder;
  put_content(folder / "config.toml", "x = 1\n");
  put_content(folder / "metrics.jsonl", "");
  prepare_run_folder(settings_for(folder.path()), "x = 2\n");
  EXPECT_EQ(content_of(folder / "config.toml"), "x = 2\n");
  put_content(folder / "metrics.jsonl", "{}\n");
  EXPECT_THROW(prepare_run_folder(settings_for(folder.path()), "x = 3\n"), ConfigError);
}

TEST(RunFolder, KeepsAnEarlierRunUnlessToldOtherwise) {
  const TempDirectory folder;
  put_content(folder / "summary.json", "{}");
  put_content(folder / "notes.txt", "mine");
  Settings settings = settings_for(folder.path());
  EXPECT_THROW(prepare_run_folder(settings, "x = 1\n"), ConfigError);
  EXPECT_EQ(content_of(folder / "summary.json"), "{}");
  EXPECT_FALSE(std::filesystem::exists(folder / "config.toml"));

  settings.show.overwrite = true;
  prepare_run_folder(settings, "x = 1\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "summary.json"));
  EXPECT_EQ(content_of(folder / "config.toml"), "x = 1\n");
  EXPECT_EQ(content_of(folder / "notes.txt"), "mine");
}

TEST(RunFolder, GoesOnInTheFolderOfTheRunItResumes) {
  const TempDirectory folder;
  put_content(folder / "metrics.jsonl", "{}\n");
  Settings settings = settings_for(folder.path());
  settings.experiment.resume = folder / "checkpoints";
  prepare_run_folder(settings, "x = 1\n");
  EXPECT_EQ(content_of(folder / "metrics.jsonl"), "{}\n");
}

TEST(RunFolder, TakesAFolderWhoseRunWasRefusedBeforeItsFirstStep) {
  const TempDirectory folder;
  put_content(folder / "config.toml", "old");
  prepare_run_folder(settings_for(folder.path()), "new");
  EXPECT_EQ(content_of(folder / "config.toml"), "new");
}

TEST(CheckpointFolder, KeepsTheCheckpointsOfAnotherRun) {
  const TempDirectory folder;
  std::filesystem::create_directory(folder / "step-000000200");
  Settings settings;
  settings.experiment.checkpoint.directory = folder.path();
  EXPECT_THROW(prepare_checkpoint_folder(settings), ConfigError);
  settings.experiment.resume = folder.path();
  EXPECT_NO_THROW(prepare_checkpoint_folder(settings));
  EXPECT_TRUE(std::filesystem::exists(folder / "step-000000200"));
  settings.experiment.resume.clear();
  settings.show.overwrite = true;
  prepare_checkpoint_folder(settings);
  EXPECT_FALSE(std::filesystem::exists(folder / "step-000000200"));
}

}  // namespace
}  // namespace starling::cli
