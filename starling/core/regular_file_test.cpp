#include "starling/core/regular_file.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/temp_directory.hpp"

namespace starling {
namespace {

using starling::testing::put_content;
using starling::testing::TempDirectory;
using ::testing::HasSubstr;

std::string refusal_of(const std::filesystem::path& path, std::size_t bytes_max) {
  std::string wrong;
  const auto content = read_regular_file(path.string(), bytes_max, wrong);
  EXPECT_EQ(content.has_value(), wrong.empty());
  return wrong;
}

TEST(RegularFile, IsReadUpToItsBound) {
  const TempDirectory folder;
  for (const std::size_t size : {0U, 1U, 65'535U, 65'536U, 65'537U, 200'000U}) {
    const std::string content(size, 'x');
    put_content(folder / "file", content);
    std::filesystem::remove(folder / "link");
    std::filesystem::create_symlink("file", folder / "link");
    std::string wrong;
    EXPECT_EQ(read_regular_file((folder / "file").string(), size, wrong), content) << wrong;
    EXPECT_EQ(read_regular_file((folder / "link").string(), size + 1, wrong), content) << wrong;
    if (size > 0) {
      EXPECT_THAT(refusal_of(folder / "file", size - 1), HasSubstr("found a larger one"));
    }
  }
  put_content(folder / "file", "x");
  EXPECT_EQ(refusal_of(folder / "file", 0),
            "expected a file of at most 0 bytes, found a larger one");
  std::filesystem::resize_file(folder / "file", (std::uintmax_t{1} << 20U) + 1);
  EXPECT_THAT(refusal_of(folder / "file", std::size_t{1} << 20U), HasSubstr("at most 1 MiB,"));
}

TEST(RegularFile, PipesDevicesAndFoldersAreNotWaitedFor) {
  const TempDirectory folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", folder / "link");
  for (const std::filesystem::path& path :
       {folder / "pipe", folder / "link", std::filesystem::path("/dev/zero"), folder.path()}) {
    EXPECT_EQ(refusal_of(path, 100), "expected a regular file, found something else") << path;
  }
  EXPECT_EQ(refusal_of(folder / "nothing", 100), "cannot be read: No such file or directory");
}

}  // namespace
}  // namespace starling
