#include "starling/wire/layout_codec.hpp"

#include <string>

#include <gmock/gmock.h>

#include "starling/core/error.hpp"
#include "starling/core/random.hpp"
#include "starling/wire/bytes.hpp"

namespace starling::wire {
namespace {

using ::testing::HasSubstr;

Layout small_network() {
  Layout layout;
  layout.append("conv.weight", {16, 8, 5, 5});
  layout.append("conv.bias", {16});
  layout.append("scale", {});
  layout.append("fc.weight", {200, 2560}, ElementType::f16);
  layout.append("nothing", {0, 7});
  return layout;
}

TEST(LayoutCodec, BringsLayoutsBack) {
  EXPECT_EQ(decode_layout(encode(small_network())), small_network());
  EXPECT_EQ(decode_layout(encode(Layout{})), Layout{});
}

TEST(LayoutCodec, FingerprintsTellNamesOrderShapesAndTypesApart) {
  Layout base;
  base.append("a", {2, 3});
  base.append("b", {6});
  const auto other = [](const char* first, std::vector<std::size_t> shape, ElementType type) {
    Layout layout;
    layout.append(first, std::move(shape), type);
    layout.append(std::string(first) == "b" ? "a" : "b", {6});
    return layout;
  };
  EXPECT_EQ(fingerprint(base), fingerprint(other("a", {2, 3}, ElementType::f32)));
  EXPECT_NE(fingerprint(base), fingerprint(other("a", {3, 2}, ElementType::f32)));
  EXPECT_NE(fingerprint(base), fingerprint(other("a", {6}, ElementType::f32)));
  EXPECT_NE(fingerprint(base), fingerprint(other("b", {2, 3}, ElementType::f32)));
  EXPECT_NE(fingerprint(base), fingerprint(other("c", {2, 3}, ElementType::f32)));
  EXPECT_NE(fingerprint(base), fingerprint(other("a", {2, 3}, ElementType::f16)));
}

TEST(LayoutCodec, EveryTruncationIsRefused) {
  const std::vector<std::byte> bytes = encode(small_network());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(decode_layout(std::span(bytes).first(size)), DataError) << size;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_THROW(decode_layout(longer), DataError);
}

TEST(LayoutCodec, AnnouncedCountsAreNotAllocated) {
  ByteWriter out;
  out.u32(1);
  out.u32(0xFFFFFFFFU);  // tensors: would take 400 GB
  EXPECT_THROW(decode_layout(out.bytes()), DataError);
  ByteWriter long_name;
  long_name.u32(1);
  long_name.u32(1);
  long_name.u32(0xFFFFFFFFU);
  long_name.u64(0);
  EXPECT_THROW(decode_layout(long_name.bytes()), DataError);
}

TEST(LayoutCodec, MoreTensorsThanAnyModelHasAreRefused) {
  ByteWriter out;
  out.u32(1);
  out.u32(static_cast<std::uint32_t>(kTensorsMax + 1));
  for (std::size_t k = 0; k <= kTensorsMax; ++k) {
    out.text(std::to_string(k));
    out.u8(0);
    out.u8(0);
  }
  EXPECT_THROW(decode_layout(out.bytes()), DataError);
}

/// One tensor "t" of this shape, as bytes.
std::vector<std::byte> tensor_bytes(const std::vector<std::uint64_t>& shape) {
  ByteWriter out;
  out.u32(1);
  out.u32(1);
  out.text("t");
  out.u8(0);
  out.u8(static_cast<std::uint8_t>(shape.size()));
  for (const std::uint64_t extent : shape) {
    out.u64(extent);
  }
  return std::move(out).take();
}

TEST(LayoutCodec, ShapesWhoseProductOverflowsAreRefused) {
  EXPECT_EQ(decode_layout(tensor_bytes({7, 5})).elements(), 35U);
  const std::uint64_t huge = std::uint64_t{1} << 32U;
  EXPECT_THROW(decode_layout(tensor_bytes({huge, huge})), DataError);  // 2^64 would be 0 elements
  EXPECT_THROW(decode_layout(tensor_bytes({0, huge, huge})), DataError);
  EXPECT_THROW(decode_layout(tensor_bytes({~std::uint64_t{0}})), DataError);
  EXPECT_THROW(decode_layout(tensor_bytes(std::vector<std::uint64_t>(17, 1))), DataError);
}

TEST(LayoutCodec, NamesThatAreEmptyOrTakenAreRefused) {
  for (const std::string second : {"", "t"}) {
    ByteWriter out;
    out.u32(1);
    out.u32(2);
    for (const std::string& name : {std::string("t"), second}) {
      out.text(name);
      out.u8(0);
      out.u8(0);
    }
    EXPECT_THROW(decode_layout(out.bytes()), DataError) << second;
  }
}

TEST(LayoutCodec, WhatCannotBeSentIsRefusedByName) {
  Layout layout;
  layout.append("deep", std::vector<std::size_t>(17, 1));
  try {
    encode(layout);
    ADD_FAILURE() << "17 dimensions are too many";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("deep"));
  }
}

// Any bytes either are a layout, which then encodes to the same bytes, or are refused with
// DataError: there is one encoding of a layout, and nothing else leaves the decoder.
TEST(LayoutCodec, RandomMutationsAreRefusedOrMeanWhatTheySay) {
  Random random(7);
  const std::vector<std::byte> bytes = encode(small_network());
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (int run = 0; run < 20000; ++run) {
    std::vector<std::byte> changed = bytes;
    for (std::uint64_t left = 1 + random.below(4); left > 0; --left) {
      const std::size_t at = random.below(changed.size());
      switch (random.below(3)) {
        case 0:
          changed[at] = static_cast<std::byte>(random.below(256));
          break;
        case 1:
          changed.resize(at + 1);
          break;
        default:
          changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at), std::byte{1});
      }
    }
    try {
      EXPECT_EQ(encode(decode_layout(changed)), changed);
      ++accepted;
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(accepted, 0U);
  EXPECT_GT(refused, accepted);
}

}  // namespace
}  // namespace starling::wire
