#include "starling/peer/pieces.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "starling/core/buffer.hpp"

namespace starling {

namespace {

struct Piece {
  std::size_t offset;
  const std::byte* data;
  std::size_t size;
};

std::vector<Piece> pieces_of(std::span<const std::byte> payload) {
  std::vector<Piece> pieces;
  const auto keep = [&](std::size_t offset, std::span<const std::byte> piece) {
    pieces.push_back({offset, piece.data(), piece.size()});
  };
  feed(payload, keep);
  return pieces;
}

TEST(Pieces, CoverThePayloadInOrderWhereItLies) {
  const std::size_t sizes[] = {1, kPieceBytes - 1, kPieceBytes, kPieceBytes + 1, 3 * kPieceBytes};
  for (const std::size_t size : sizes) {
    const Buffer payload(size);
    std::size_t covered = 0;
    for (const Piece& piece : pieces_of(payload.bytes())) {
      EXPECT_EQ(piece.offset, covered);
      EXPECT_EQ(piece.data, payload.bytes().data() + covered) << "no copy";
      EXPECT_GT(piece.size, 0U);
      EXPECT_LE(piece.size, kPieceBytes);
      covered += piece.size;
    }
    EXPECT_EQ(covered, size);
  }
}

TEST(Pieces, OfNothingAreOneEmptyPiece) {
  const auto pieces = pieces_of({});
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].offset, 0U);
  EXPECT_EQ(pieces[0].size, 0U);
}

TEST(Pieces, AreAlignedEvenIfThePayloadIsNot) {
  Buffer storage(9);
  for (std::size_t k = 0; k < storage.size(); ++k) {
    storage.mutable_bytes()[k] = static_cast<std::byte>(k);
  }
  const auto check = [](std::size_t, std::span<const std::byte> piece) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece.data()) % alignof(float), 0U);
    ASSERT_EQ(piece.size(), 8U);
    EXPECT_EQ(piece.front(), std::byte{1});
    EXPECT_EQ(piece.back(), std::byte{8});
  };
  feed(storage.bytes().subspan(1), check);
}

}  // namespace

}  // namespace starling
