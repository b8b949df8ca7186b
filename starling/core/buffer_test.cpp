#include "starling/core/buffer.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"

namespace starling {

namespace {

TEST(Buffer, HasTheSizeAskedForAndAligned) {
  for (const std::size_t size : {1U, 63U, 64U, 65U, 4096U, 1000003U}) {
    Buffer buffer(size);
    ASSERT_EQ(buffer.size(), size);
    EXPECT_EQ(buffer.bytes().size(), size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.bytes().data()) % 64, 0U);
    std::memset(buffer.mutable_bytes().data(), 0xAB, size);
    EXPECT_EQ(buffer.bytes().back(), std::byte{0xAB});
  }
}

TEST(Buffer, EmptyOneOwnsNothing) {
  const Buffer nothing(0);
  EXPECT_TRUE(nothing.empty());
  EXPECT_TRUE(nothing.bytes().empty());
  EXPECT_TRUE(nothing.values().empty());
  EXPECT_TRUE(nothing.share().empty());
  EXPECT_TRUE(Buffer().empty());
}

TEST(Buffer, CopiesFloats) {
  const std::vector<float> values = {1.0F, -2.5F, 3.0F};
  const Buffer copy = Buffer::copy_of(std::span(values));
  EXPECT_EQ(copy.size(), 3 * sizeof(float));
  EXPECT_EQ(std::vector<float>(copy.values().begin(), copy.values().end()), values);
}

TEST(Buffer, MovingHandsOver) {
  Buffer first = Buffer::copy_of(std::as_bytes(std::span("abc")));
  const std::byte* where = first.bytes().data();
  Buffer second = std::move(first);
  EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move): that is the claim
  EXPECT_EQ(second.bytes().data(), where);
  first = std::move(second);
  EXPECT_EQ(first.bytes().data(), where);
}

TEST(Buffer, SharedBytesAreReadOnlyUntilOneHandleGoes) {
  Buffer first = Buffer::copy_of(std::as_bytes(std::span("abc")));
  {
    const Buffer second = first.share();
    EXPECT_EQ(second.bytes().data(), first.bytes().data());
    EXPECT_THROW((void)first.mutable_bytes(), ContractError);
  }
  EXPECT_NO_THROW((void)first.mutable_bytes());
}

TEST(Buffer, SharedBytesOutliveTheFirstHandle) {
  Buffer second;
  {
    const Buffer first = Buffer::copy_of(std::as_bytes(std::span("abc")));
    second = first.share();
  }
  EXPECT_EQ(std::memcmp(second.bytes().data(), "abc", 4), 0);
}

TEST(Buffer, RefusesHalfAFloat) {
  Buffer odd(7);
  EXPECT_THROW((void)odd.values(), ContractError);
  EXPECT_THROW((void)odd.mutable_values(), ContractError);
}

TEST(Buffer, ReleasedMemoryIsUsedAgain) {
  const std::byte* where = nullptr;
  {
    const Buffer first(100000);
    where = first.bytes().data();
  }
  const std::uint64_t pooled = pooled_bytes();
  EXPECT_GE(pooled, 100000U);
  const Buffer second(99000);  // of the same power of two
  EXPECT_EQ(second.bytes().data(), where);
  EXPECT_LT(pooled_bytes(), pooled);
}

TEST(Buffer, PoolIsBounded) {
  constexpr std::size_t kMiB = std::size_t{1} << 20U;
  std::vector<Buffer> many;
  for (int k = 0; k < 40; ++k) {
    many.emplace_back(31 * kMiB);
  }  // 1.25 GiB, never touched
  many.clear();
  EXPECT_LE(pooled_bytes(), 512 * kMiB);
}

}  // namespace

}  // namespace starling
