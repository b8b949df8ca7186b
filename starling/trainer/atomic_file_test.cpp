#include "starling/trainer/atomic_file.hpp"

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "starling/core/error.hpp"

#include "tests/support/small_disk.hpp"
#include "tests/support/temp_directory.hpp"

namespace starling::trainer {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::content_of;
using testing::FileSizeLimit;
using ::testing::HasSubstr;
using testing::SmallDisk;
using testing::TempDirectory;

/// The message of the StorageError that `act` throws; empty if it throws none.
std::string storage_error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const StorageError& error) {
    EXPECT_EQ(error.code(), ExitCode::storage);
    return error.what();
  }
  return {};
}

TEST(AtomicFile, ReplacesTheOldContentAtOnce) {
  const TempDirectory directory;
  const fs::path target = directory / "state";
  write_atomically(target, "old");
  AtomicFile file(target, 3);
  file.write(std::as_bytes(std::span(std::string_view("new"))));
  EXPECT_EQ(content_of(target), "old") << "nothing may change before commit()";
  file.commit();
  EXPECT_EQ(content_of(target), "new");
  EXPECT_EQ(directory.entries(), 1U);
}

TEST(AtomicFile, LeavesNothingBehindWithoutCommit) {
  const TempDirectory directory;
  {
    AtomicFile file(directory / "state", 3);
    file.write(std::as_bytes(std::span(std::string_view("new"))));
    EXPECT_EQ(directory.entries(), 1U) << "the file aside";
  }
  EXPECT_EQ(directory.entries(), 0U);
}

TEST(AtomicFile, WritersOfOneTargetDoNotMeet) {
  const TempDirectory directory;
  const fs::path target = directory / "state";
  {
    std::vector<std::jthread> writers;
    for (char letter = 'a'; letter < 'e'; ++letter) {
      writers.emplace_back(
          [&target, letter] { write_atomically(target, std::string(10000, letter)); });
    }
  }
  const std::string content = content_of(target);
  EXPECT_EQ(content, std::string(10000, content.front()));
  EXPECT_EQ(directory.entries(), 1U);
}

TEST(AtomicFile, AWriteBeyondTheLimitLeavesTheOldFile) {
  const TempDirectory directory;
  const fs::path target = directory / "state";
  write_atomically(target, "old");
  std::string message;
  {
    const FileSizeLimit limit(1000);
    message = storage_error_of([&] { write_atomically(target, std::string(2000, 'x')); });
  }
  EXPECT_THAT(message,
              AllOf(HasSubstr(target.string()),
                    HasSubstr("needed 2000 bytes"),
                    HasSubstr("free "),
                    HasSubstr("File too large"),
                    HasSubstr("ulimit -f")));
  EXPECT_EQ(content_of(target), "old");
  EXPECT_EQ(directory.entries(), 1U);
}

TEST(AtomicFile, AFullDiskLeavesTheOldFile) {
  const TempDirectory directory;
  const SmallDisk disk(directory.path(), "1m");
  if (!disk.mounted()) {
    GTEST_SKIP() << "this kernel lets us mount no small file system";
  }
  const fs::path target = directory / "state";
  write_atomically(target, std::string(600'000, 'o'));
  const std::string message =
      storage_error_of([&] { write_atomically(target, std::string(600'000, 'n')); });
  EXPECT_THAT(message,
              AllOf(HasSubstr(target.string()),
                    HasSubstr("needed 600000 bytes"),
                    HasSubstr("No space left"),
                    HasSubstr("free some space")));
  EXPECT_EQ(content_of(target), std::string(600'000, 'o'));
  EXPECT_EQ(directory.entries(), 1U);
}

TEST(AtomicFile, ADirectoryRemovedUnderneathIsNamed) {
  const TempDirectory directory;
  const fs::path place = directory / "gone";
  make_directory(place);
  AtomicFile file(place / "state", 1);
  fs::remove_all(place);
  EXPECT_THAT(storage_error_of([&] { file.commit(); }),
              AllOf(HasSubstr((place / "state").string()), HasSubstr("the directory is gone")));
}

TEST(AtomicFile, APlaceThatIsNoDirectoryIsNamed) {
  const TempDirectory directory;
  write_atomically(directory / "file", "x");
  const fs::path target = directory / "file" / "state";
  EXPECT_THAT(storage_error_of([&] { write_atomically(target, "y"); }),
              AllOf(HasSubstr(target.string()), HasSubstr("Not a directory")));
}

TEST(AtomicFile, KnowsWhatAKilledWriterLeftBehind) {
  const TempDirectory directory;
  AtomicFile file(directory / "state", 1);
  const fs::path aside = fs::directory_iterator(directory.path())->path();
  EXPECT_TRUE(is_left_behind(aside, directory / "state"));
  EXPECT_FALSE(is_left_behind(aside, directory / "other"));
  EXPECT_FALSE(is_left_behind(directory / "state", directory / "state"));
}

TEST(EnsureRoom, MakesTheDirectoryAndLeavesItEmpty) {
  const TempDirectory directory;
  const fs::path place = directory / "runs" / "x";
  ensure_room(place, 1000);
  EXPECT_TRUE(fs::is_directory(place));
  EXPECT_TRUE(fs::is_empty(place));
  ensure_room(place, 1000);  // once more, now that it is there
}

TEST(EnsureRoom, NamesWhatIsNeededAndFree) {
  const TempDirectory directory;
  EXPECT_THAT(storage_error_of([&] { ensure_room(directory.path(), ~std::uint64_t{0}); }),
              AllOf(HasSubstr(directory.path().string()),
                    HasSubstr("needed 18446744073709551615 bytes, free "),
                    HasSubstr("too little room")));
}

TEST(EnsureRoom, RefusesAPathThroughAFile) {
  const TempDirectory directory;
  write_atomically(directory / "file", "x");
  EXPECT_THAT(storage_error_of([&] { ensure_room(directory / "file", 1); }),
              HasSubstr("Not a directory"));
  EXPECT_THAT(storage_error_of([&] { ensure_room(directory / "file" / "below", 1); }),
              HasSubstr("Not a directory"));
}

TEST(EnsureRoom, RefusesAFileSystemThatCannotBeWritten) {
  // Root ignores permissions, but nobody makes files in /proc.
  EXPECT_THAT(storage_error_of([] { ensure_room("/proc", 1); }),
              AllOf(HasSubstr("/proc: "), HasSubstr("needed 1 bytes, free ")));
}

}  // namespace
}  // namespace starling::trainer
