#include "starling/cli/run_folder.hpp"

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "starling/core/error.hpp"
#include "starling/trainer/checkpoint.hpp"

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

/// What of config.toml is not the line that says whose it is.
std::string options_in(const std::filesystem::path& folder) {
  const std::string text = content_of(folder / "config.toml");
  EXPECT_TRUE(text.starts_with("# Written by starling")) << text;
  return text.substr(text.find('\n') + 1);
}

std::string refusal_of(const Settings& settings, const std::filesystem::path& config_file = {}) {
  try {
    prepare_run_folder(settings, "x = 9\n", config_file);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

TEST(FolderLock, GoesWithTheFolderItMadeIfThatIsEmpty) {
  const TempDirectory folder;
  { const FolderLock lock(folder / "made", "out"); }
  EXPECT_FALSE(std::filesystem::exists(folder / "made"));
  {
    const FolderLock lock(folder / "made", "out");
    put_content(folder / "made/file", "x");
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "made/file"));
}

TEST(FolderLock, GoesWithTheFoldersItMadeAroundItToo) {
  const TempDirectory folder;
  std::filesystem::create_directory(folder / "there");
  for (const char* name : {"a/b/c", "a/b/c/", "there/a/b", "new/../a/b"}) {
    { const FolderLock lock(folder / name, "out"); }
    EXPECT_EQ(folder.entries(), 1U) << name;
    EXPECT_TRUE(std::filesystem::is_empty(folder / "there")) << name;
  }
  put_content(folder / "there/file", "x");
  EXPECT_THROW(FolderLock(folder / "a/b/../../there/file", "out"), StorageError);
  EXPECT_EQ(folder.entries(), 1U) << "refused where only a part was made";
  {
    Settings settings = settings_for(folder / "a/b/out");
    settings.experiment.checkpoint.directory = folder / "a/checkpoints/of/it";
    const auto locks = lock_run_folders(settings);
    EXPECT_TRUE(std::filesystem::exists(folder / "a/checkpoints/of/it"));
  }
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(RunFolders, TheCheckpointsOfOneRunAreClosedToAnother) {
  const TempDirectory folder;
  const auto first = lock_run_folders(settings_for(folder / "two"));
  Settings other = settings_for(folder / "three");
  for (const char* name : {"two/checkpoints", "two", "three/../two/checkpoints/"}) {
    other.experiment.checkpoint.directory = folder / name;
    EXPECT_THROW(lock_run_folders(other), ConfigError) << name;
  }
  other.experiment.checkpoint.directory = folder / "checkpoints";
  EXPECT_NO_THROW(lock_run_folders(other));
}

TEST(RunFolders, TheEarlierCheckpointsOfAFolderAreLockedTooThoughTheNewGoElsewhere) {
  const TempDirectory folder;
  Settings writing = settings_for(folder / "one");
  writing.experiment.checkpoint.directory = folder / "two/checkpoints";
  const auto first = lock_run_folders(writing);
  Settings other = settings_for(folder / "two");
  other.experiment.checkpoint.directory = folder / "three";
  EXPECT_THROW(lock_run_folders(other), ConfigError);
}

TEST(RunFolders, OneFolderUnderTwoNamesIsLockedOnce) {
  const TempDirectory folder;
  for (const char* name : {"x", "x/", "x/../x", "x/checkpoints", "link"}) {
    std::filesystem::create_directory(folder / "x");
    std::error_code there;
    std::filesystem::create_directory_symlink(folder / "x", folder / "link", there);
    Settings settings = settings_for(folder / "x");
    settings.experiment.checkpoint.directory = folder / name;
    EXPECT_NO_THROW(lock_run_folders(settings)) << name;
  }
}

TEST(RunFolder, NothingIsWrittenOrRemovedBeforeAllIsAllowed) {
  const TempDirectory folder;
  std::filesystem::create_directories(folder / "other/step-000000200");
  std::filesystem::create_directory(folder / "run");
  Settings settings = settings_for(folder / "run");
  settings.experiment.checkpoint.directory = folder / "other";
  EXPECT_NE(refusal_of(settings), "");
  EXPECT_FALSE(std::filesystem::exists(folder / "run/config.toml"));

  settings.show.overwrite = true;
  put_content(folder / "run/config.toml", "mine");
  EXPECT_NE(refusal_of(settings), "");
  EXPECT_TRUE(std::filesystem::exists(folder / "other/step-000000200"));
}

TEST(RunFolder, KeepsAConfigurationThatPeopleWrote) {
  const TempDirectory folder;
  put_content(folder / "config.toml", "mine");
  for (const bool overwrite : {false, true}) {
    Settings settings = settings_for(folder.path());
    settings.show.overwrite = overwrite;
    EXPECT_NE(refusal_of(settings).find("config.toml there was not written by starling"),
              std::string::npos);
    EXPECT_NE(refusal_of(settings, folder / "./config.toml").find("is the file of --config"),
              std::string::npos);
    EXPECT_EQ(content_of(folder / "config.toml"), "mine");
  }
}

TEST(RunFolder, ItsOwnConfigurationIsReplacedByAResumeOnlyWhereItIsTheOneGiven) {
  const TempDirectory folder;
  Settings settings = settings_for(folder.path());
  prepare_run_folder(settings, "x = 1\n", {});
  EXPECT_NE(refusal_of(settings, folder / "config.toml"), "");
  EXPECT_EQ(options_in(folder.path()), "x = 1\n");
  settings.experiment.resume = folder / "checkpoints";
  EXPECT_EQ(refusal_of(settings, folder / "config.toml"), "");
  EXPECT_EQ(options_in(folder.path()), "x = 9\n");
}

TEST(RunFolder, AnEmptyConfigurationIsNobodys) {
  const TempDirectory folder;
  put_content(folder / "config.toml", "");
  EXPECT_NE(refusal_of(settings_for(folder.path()), folder / "config.toml"), "");
  EXPECT_EQ(refusal_of(settings_for(folder.path())), "");
  EXPECT_EQ(options_in(folder.path()), "x = 9\n");
}

TEST(RunFolder, AConfigurationIsWrittenAsAWholeOrNotAtAll) {
  const TempDirectory folder;
  write_config(folder.path(), "x = 1\n");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);  // as on a disk that is full
  EXPECT_THROW(write_config(folder.path(), std::string(200, '#')), StorageError);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old);
  EXPECT_EQ(options_in(folder.path()), "x = 1\n");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(RunFolder, WhatIsNoFileIsNeitherReadNorReplaced) {
  const TempDirectory folder;
  write_config(folder.path(), "x = 1\n");
  std::filesystem::rename(folder / "config.toml", folder / "elsewhere");
  const auto refused = [&] {
    const std::string refusal = refusal_of(settings_for(folder.path()));
    return refusal.find("was not written by starling") != std::string::npos;
  };
  ASSERT_EQ(::mkfifo((folder / "config.toml").c_str(), 0600), 0);
  EXPECT_TRUE(refused());
  for (const char* target : {"elsewhere", "/dev/zero", "nothing"}) {
    std::filesystem::remove(folder / "config.toml");
    std::filesystem::create_symlink(target, folder / "config.toml");
    EXPECT_TRUE(refused()) << target;
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "config.toml")) << target;
  }
  EXPECT_TRUE(content_of(folder / "elsewhere").ends_with("x = 1\n"));
}

TEST(RunFolder, OverwritingLeavesTheFolderOfTheCheckpointsWhichIsLocked) {
  const TempDirectory folder;
  std::filesystem::create_directories(folder / "checkpoints/step-000000200");
  Settings settings = settings_for(folder.path());
  EXPECT_NE(refusal_of(settings), "");
  settings.show.overwrite = true;
  const auto locks = lock_run_folders(settings);
  EXPECT_EQ(refusal_of(settings), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder / "checkpoints"));
  EXPECT_THROW(FolderLock(folder / "checkpoints", "out"), ConfigError);
}

TEST(RunFolder, ARunThatEndedBeforeItsFirstStepIsNoRun) {
  const TempDirectory folder;
  write_config(folder.path(), "x = 1\n");
  put_content(folder / "metrics.jsonl", "");
  prepare_run_folder(settings_for(folder.path()), "x = 2\n", {});
  EXPECT_EQ(options_in(folder.path()), "x = 2\n");
  put_content(folder / "metrics.jsonl", "{}\n");
  EXPECT_THROW(prepare_run_folder(settings_for(folder.path()), "x = 3\n", {}), ConfigError);
}

TEST(RunFolder, KeepsAnEarlierRunUnlessToldOtherwise) {
  const TempDirectory folder;
  put_content(folder / "summary.json", "{}");
  put_content(folder / "notes.txt", "mine");
  Settings settings = settings_for(folder.path());
  EXPECT_THROW(prepare_run_folder(settings, "x = 1\n", {}), ConfigError);
  EXPECT_EQ(content_of(folder / "summary.json"), "{}");
  EXPECT_FALSE(std::filesystem::exists(folder / "config.toml"));

  settings.show.overwrite = true;
  prepare_run_folder(settings, "x = 1\n", {});
  EXPECT_FALSE(std::filesystem::exists(folder / "summary.json"));
  EXPECT_EQ(options_in(folder.path()), "x = 1\n");
  EXPECT_EQ(content_of(folder / "notes.txt"), "mine");
}

TEST(RunFolder, GoesOnInTheFolderOfTheRunItResumes) {
  const TempDirectory folder;
  put_content(folder / "metrics.jsonl", "{}\n");
  Settings settings = settings_for(folder.path());
  std::filesystem::create_directory(folder / "checkpoints");
  settings.experiment.resume = folder / "checkpoints";
  prepare_run_folder(settings, "x = 1\n", {});
  EXPECT_EQ(content_of(folder / "metrics.jsonl"), "{}\n");
}

/// A checkpoint of a run that only its experiment tells from others.
void leave_checkpoint(const std::filesystem::path& checkpoints, const std::string& experiment) {
  std::filesystem::create_directories(checkpoints);
  trainer::PeerState state;
  state.step = 200;
  state.experiment = experiment;
  state.parameters = {1.0F};
  trainer::save(checkpoints, state, 2);
}

TEST(RunFolder, AResumeDoesNotGoOnInTheFolderOfAnotherExperiment) {
  const TempDirectory folder;
  leave_checkpoint(folder / "a/checkpoints", "seed = 1\nlr = 0.5\n");
  leave_checkpoint(folder / "b/checkpoints", "seed = 2\nlr = 0.5\n");
  leave_checkpoint(folder / "again/checkpoints", "seed = 1\nlr = 0.5\n");
  std::filesystem::create_directory_symlink(folder / "a", folder / "link");
  std::filesystem::create_directory(folder / "new");
  Settings settings = settings_for(folder / "b");
  for (const char* resume : {"a/checkpoints", "a/checkpoints/step-000000200"}) {
    settings.experiment.resume = folder / resume;
    settings.experiment.out = folder / "b";
    const std::string refusal = refusal_of(settings);
    EXPECT_NE(refusal.find("--out " + (folder / "b").string() + ": holds a run of another"),
              std::string::npos)
        << refusal;
    EXPECT_NE(refusal.find("--resume " + (folder / resume).string()), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(folder / "b/config.toml"));
    for (const char* out : {"a", "link", "again", "new"}) {
      settings.experiment.out = folder / out;
      EXPECT_EQ(refusal_of(settings), "") << out;
    }
  }
  settings.experiment.checkpoint.directory = folder / "b/checkpoints";
  EXPECT_NE(refusal_of(settings).find("--checkpoint-dir"), std::string::npos);
  settings.experiment.checkpoint.directory = folder / "a/checkpoints/";
  EXPECT_EQ(refusal_of(settings), "");
  settings.experiment.out = folder / "b";
  EXPECT_NE(refusal_of(settings).find("--out"), std::string::npos);
  settings.experiment.resume = folder / "nowhere";
  EXPECT_THROW(prepare_run_folder(settings, "x = 9\n", {}), DataError);
}

TEST(RunFolder, WithoutCheckpointsTheMetricsTellWhoseItIs) {
  const TempDirectory folder;
  leave_checkpoint(folder / "a/checkpoints", "seed = 1\nlr = 0.5\nmodel = linear\n");
  Settings settings = settings_for(folder / "b");
  settings.experiment.resume = folder / "a/checkpoints";
  std::filesystem::create_directory(folder / "b");
  const std::string line = R"({"type":"config","lr":0.5,"model":"linear","peers":4,"seed":)";
  put_content(folder / "b/metrics.jsonl", line + "1}\n{\"type\":\"step\"}\n");
  EXPECT_EQ(refusal_of(settings), "");
  for (const std::string& other : {line + "2}\n", std::string("{}\n"), line}) {
    put_content(folder / "b/metrics.jsonl", other);
    EXPECT_NE(refusal_of(settings).find("another experiment (metrics.jsonl)"), std::string::npos);
  }
}

TEST(RunFolder, TakesAFolderWhoseRunWasRefusedBeforeItsFirstStep) {
  const TempDirectory folder;
  write_config(folder.path(), "old");
  prepare_run_folder(settings_for(folder.path()), "new", {});
  EXPECT_EQ(options_in(folder.path()), "new");
}

TEST(CheckpointFolder, KeepsTheCheckpointsOfAnotherRun) {
  const TempDirectory folder;
  std::filesystem::create_directory(folder / "step-000000200");
  Settings settings;
  settings.experiment.checkpoint.directory = folder.path();
  EXPECT_NE(refusal_of(settings), "");
  settings.experiment.resume = folder.path();
  EXPECT_EQ(refusal_of(settings), "");
  EXPECT_TRUE(std::filesystem::exists(folder / "step-000000200"));
  settings.experiment.resume.clear();
  settings.show.overwrite = true;
  EXPECT_EQ(refusal_of(settings), "");
  EXPECT_FALSE(std::filesystem::exists(folder / "step-000000200"));
}

}  // namespace
}  // namespace starling::cli
