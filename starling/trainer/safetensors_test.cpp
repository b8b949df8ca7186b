#include "starling/trainer/safetensors.hpp"

#include <cstring>
#include <functional>
#include <limits>
#include <string>

#include <gmock/gmock.h>

#include "starling/core/error.hpp"

#include "tests/support/small_disk.hpp"
#include "tests/support/temp_directory.hpp"

namespace starling::trainer {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::content_of;
using ::testing::HasSubstr;
using testing::put_content;
using testing::TempDirectory;

Layout small_model() {
  Layout layout;
  layout.append("fc.weight", {2, 3});
  layout.append("empty", {0, 4});
  layout.append("scale", {});
  layout.append("a \"quoted\" name", {1});
  return layout;
}

const std::vector<float> kValues = {
    1.0F, -2.0F, 3.5F, 1e-40F, std::numeric_limits<float>::max(), 0.0F, -0.25F, 7.0F};

/// A file with this header and so many zero bytes of data.
void put_file(const fs::path& path, const std::string& header, std::size_t data_bytes) {
  std::string content(8, '\0');
  const std::uint64_t size = header.size();
  std::memcpy(content.data(), &size, sizeof size);
  put_content(path, content + header + std::string(data_bytes, '\0'));
}

std::string refusal_of(const fs::path& path) {
  try {
    read_safetensors(path);
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr(path.string()));
    return error.what();
  }
  return {};
}

TEST(Safetensors, BringsModelsBack) {
  const TempDirectory directory;
  const fs::path path = directory / "model.safetensors";
  const std::map<std::string, std::string> metadata = {{"format", "pt"}, {"step", "200"}};
  write_safetensors(path, small_model(), kValues, metadata);
  const Tensors tensors = read_safetensors(path);
  EXPECT_EQ(tensors.layout, small_model());
  EXPECT_EQ(tensors.values, kValues);
  EXPECT_EQ(tensors.metadata, metadata);
  EXPECT_EQ(directory.entries(), 1U);
}

TEST(Safetensors, IsLaidOutAsTheFormatSays) {
  const TempDirectory directory;
  const fs::path path = directory / "model.safetensors";
  Layout layout;
  layout.append("b", {2});
  layout.append("a", {1, 1});
  write_safetensors(path, layout, std::vector<float>{1.0F, 2.0F, 3.0F}, {{"k", "v"}});
  const std::string content = content_of(path);
  const std::string header =
      R"({"__metadata__":{"k":"v"},"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("a":{"dtype":"F32","shape":[1,1],"data_offsets":[8,12]}})";
  std::uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, content.data(), sizeof header_bytes);
  EXPECT_EQ(header_bytes % 8, 0U) << "so that the data is aligned";
  ASSERT_EQ(content.size(), 8 + header_bytes + 12);
  std::string padded = header;
  padded.resize(header_bytes, ' ');
  EXPECT_LT(header_bytes - header.size(), 8U);
  EXPECT_EQ(content.substr(8, header_bytes), padded);
  EXPECT_EQ(content.substr(8 + header_bytes, 4), std::string("\x00\x00\x80\x3F", 4)) << "1.0F";
}

TEST(Safetensors, AnEmptyModelIsLegal) {
  const TempDirectory directory;
  write_safetensors(directory / "empty", Layout{}, {}, {});
  EXPECT_EQ(read_safetensors(directory / "empty").layout, Layout{});
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const TempDirectory directory;
  const fs::path path = directory / "model.safetensors";
  write_safetensors(path, small_model(), kValues, {});
  const std::string content = content_of(path);
  const auto bytes = std::as_bytes(std::span(content));
  for (std::size_t size = 0; size < content.size(); ++size) {
    EXPECT_THROW(decode_safetensors(bytes.first(size), "file"), DataError) << size;
  }
  put_content(path, content + "x");
  EXPECT_THAT(refusal_of(path), HasSubstr("expected 32 bytes of data, found 33"));
}

TEST(Safetensors, LengthsAreCheckedBeforeTheyAreAllocated) {
  const TempDirectory directory;
  const fs::path path = directory / "model.safetensors";
  put_content(path, std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F", 8) + "{}");
  EXPECT_THAT(refusal_of(path), HasSubstr("at most 100000000"));
  put_content(path, std::string("\x00\x00\x00\x01\x00\x00\x00\x00", 8) + "{}");
  EXPECT_THAT(refusal_of(path), HasSubstr("expected 16777216 more bytes, found 2"));
}

struct Malformed {
  const char* header;
  const char* reason;
};

TEST(Safetensors, MalformedHeadersAreRefusedWithTheTensor) {
  const TempDirectory directory;
  const fs::path path = directory / "model.safetensors";
  const Malformed cases[] = {
      {R"([])", "does not start"},
      {R"({"a":)", "no JSON"},
      {R"({"a":{"dtype":"F16","shape":[2],"data_offsets":[0,8]}})", "expected dtype F32"},
      {R"({"a":{"dtype":"F32","shape":[2]}})", "tensor 'a'"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}})", "tensor 'a'"},
      {R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", "shape is no list"},
      {R"({"a":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}})", "shape is no list"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", "no begin and end"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})", "no begin and end"},
      {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", "takes 12 bytes"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", "expected data from byte 0"},
      {R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})", "up to at most 8"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "expected 4 bytes of data"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
       R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
       "a stands twice"},
      {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}})",
       "too large"},
      {R"({"__metadata__":{"k":1}})", "metadata k is no text"},
      {R"({"__metadata__":[]})", "metadata is no object"},
      {R"({"":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "tensor ''"},
  };
  for (const Malformed& bad : cases) {
    put_file(path, bad.header, 8);
    EXPECT_THAT(refusal_of(path), HasSubstr(bad.reason)) << bad.header;
  }
}

TEST(Safetensors, DeepNestingIsRefusedNotFollowed) {
  const TempDirectory directory;
  const fs::path path = directory / "model.safetensors";
  put_file(path, R"({"a":)" + std::string(1'000'000, '['), 0);
  EXPECT_THAT(refusal_of(path), HasSubstr("no JSON"));
}

TEST(Safetensors, TypesThatCannotBeExportedAreNamed) {
  const TempDirectory directory;
  Layout layout;
  layout.append("half", {1}, ElementType::f16);
  try {
    write_safetensors(directory / "model", layout, std::vector<float>{1.0F}, {});
    ADD_FAILURE() << "an f16 tensor must be refused";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("half is f16"));
  }
  EXPECT_EQ(directory.entries(), 0U);
}

TEST(Safetensors, AFailedExportLeavesTheOldFile) {
  const TempDirectory directory;
  const fs::path path = directory / "model.safetensors";
  write_safetensors(path, small_model(), kValues, {});
  const std::string old = content_of(path);
  Layout large;
  large.append("w", {10'000});
  {
    const testing::FileSizeLimit limit(8192);
    EXPECT_THROW(write_safetensors(path, large, std::vector<float>(10'000), {}), StorageError);
  }
  EXPECT_EQ(content_of(path), old);
  EXPECT_EQ(directory.entries(), 1U);
}

}  // namespace
}  // namespace starling::trainer
