#include "starling/objective/idx.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include "starling/core/error.hpp"
#include "starling/objective/idx_files.hpp"

namespace starling::objective {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Idx : public ::testing::Test {
 protected:
  std::string refusal(const Bytes& content, std::size_t dimensions = 2) {
    const auto file = folder_.write("some-file", content);
    try {
      read_idx(file, dimensions);
    } catch (const DataError& error) {
      EXPECT_EQ(error.code(), ExitCode::data);
      EXPECT_THAT(error.what(), HasSubstr(file.string()));
      EXPECT_THAT(error.what(), HasSubstr("(" + std::to_string(content.size()) + " bytes)"));
      return error.what();
    }
    return "accepted";
  }

  ScratchFolder folder_;
};

TEST_F(Idx, ReadsPlainAndGzippedByContentWhateverTheName) {
  const Bytes plain = idx_bytes({2, 3}, {1, 2, 3, 4, 5, 6});
  for (const auto& file : {folder_.write("a", plain),
                           folder_.write("b.gz", plain),
                           folder_.write("c.gz", gzip(plain)),
                           folder_.write("d", gzip(plain))}) {
    const IdxArray array = read_idx(file, 2);
    EXPECT_THAT(array.extents, ElementsAre(2, 3));
    EXPECT_THAT(array.bytes, ElementsAre(1, 2, 3, 4, 5, 6));
  }
}

TEST_F(Idx, ReadsArraysLargerThanAnyBuffer) {
  Bytes values(300'007);
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = static_cast<std::uint8_t>((k * k) >> 3);
  }
  const Bytes plain = idx_bytes({300'007}, values);
  EXPECT_EQ(read_idx(folder_.write("plain", plain), 1).bytes, values);
  EXPECT_EQ(read_idx(folder_.write("gzip", gzip(plain)), 1).bytes, values);
}

TEST_F(Idx, AnEmptyArrayIsAnArray) {
  EXPECT_TRUE(read_idx(folder_.write("a", idx_bytes({0, 28}, {})), 2).bytes.empty());
}

// Case: a download that stopped. At every cut the message says so, and it never crashes or accepts.
TEST_F(Idx, GzipCutAnywhereIsRefused) {
  Bytes values(5000);
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = static_cast<std::uint8_t>(k * k >> 2);
  }
  const Bytes whole = gzip(idx_bytes({50, 100}, values));
  for (std::size_t size = 2; size < whole.size(); size += 1 + whole.size() / 97) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THAT(refusal(cut), HasSubstr("truncated")) << size;
  }
  const Bytes cut(whole.begin(),
                  whole.begin() + static_cast<std::ptrdiff_t>(whole.size() * 6 / 10));
  EXPECT_THAT(refusal(cut),
              AllOf(HasSubstr("truncated gzip: expected 5012 bytes"),
                    HasSubstr("found "),
                    HasSubstr("fetch it again")));
  const Bytes no_checksum(whole.begin(), whole.end() - 1);
  EXPECT_THAT(refusal(no_checksum), HasSubstr("truncated gzip: all 5012 bytes are there"));
}

TEST_F(Idx, PlainFilesCutAnywhereAreRefused) {
  const Bytes whole = idx_bytes({2, 3}, {1, 2, 3, 4, 5, 6});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THAT(refusal(cut), HasSubstr("truncated: expected")) << size;
  }
}

TEST_F(Idx, DamagedGzipIsRefused) {
  Bytes content = gzip(idx_bytes({3}, {1, 2, 3}));
  content[content.size() - 5] ^= 1;  // in the checksum
  EXPECT_THAT(refusal(content, 1), HasSubstr("damaged gzip"));
}

TEST_F(Idx, AnotherMagicNumberIsShownBesideTheExpectedOne) {
  EXPECT_THAT(refusal(idx_bytes({3}, {1, 2, 3})),
              AllOf(HasSubstr("expected magic number 0x00000802"), HasSubstr("found 0x00000801")));
  EXPECT_THAT(refusal({'<', 'h', 't', 'm', 'l', '>'}), HasSubstr("found 0x3c68746d"));
}

TEST_F(Idx, BytesBehindTheEndAreRefused) {
  const Bytes plain = idx_bytes({3}, {1, 2, 3, 4});
  EXPECT_THAT(refusal(plain, 1), HasSubstr("bytes behind the end of the array: expected 11 bytes"));
  EXPECT_THAT(refusal(gzip(plain), 1), HasSubstr("bytes behind the end of the array"));
  Bytes rest = gzip(idx_bytes({3}, {1, 2, 3}));
  rest.push_back(0);
  EXPECT_THAT(refusal(rest, 1), HasSubstr("behind the end of the gzip stream"));
}

// Nothing is allocated for a header that promises more than its file can hold.
TEST_F(Idx, ExtentsAreHeldAgainstTheSizeOfTheFile) {
  constexpr std::uint32_t kHuge = 0xFFFFFFFF;
  EXPECT_THAT(refusal(idx_bytes({kHuge, kHuge}, {1})), HasSubstr("4294967295x4294967295"));
  EXPECT_THAT(refusal(idx_bytes({kHuge, kHuge, kHuge}, {1}), 3), HasSubstr("truncated"));
  EXPECT_THAT(refusal(gzip(idx_bytes({kHuge, kHuge}, {1}))), HasSubstr("can hold at most"));
}

TEST_F(Idx, APipeIsRefusedAtOnce) {
  const auto pipe = folder_.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  try {
    read_idx(pipe, 1);
    FAIL() << "waited for a writer, and there was one";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("not a regular file"));
  }
}

TEST_F(Idx, MissingFilesAndFoldersAreNamed) {
  EXPECT_THROW(read_idx(folder_.path() / "absent", 1), DataError);
  EXPECT_THROW(read_idx(folder_.path(), 1), DataError);
}

}  // namespace
}  // namespace starling::objective
