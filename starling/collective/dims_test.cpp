#include "starling/collective/dims.hpp"

#include <gtest/gtest.h>

#include "starling/core/error.hpp"

namespace starling::collective {
namespace {

using Dims = std::vector<std::size_t>;

TEST(Dims, FactorsAsEvenlyAsPossible) {
  EXPECT_EQ(even_dims(64, 3), (Dims{4, 4, 4}));
  EXPECT_EQ(even_dims(32, 2), (Dims{8, 4}));
  EXPECT_EQ(even_dims(12, 2), (Dims{4, 3}));
  EXPECT_EQ(even_dims(30, 3), (Dims{5, 3, 2}));
}

TEST(Dims, APrimeIsARing) {
  EXPECT_EQ(even_dims(7, 2), (Dims{7}));
  EXPECT_EQ(even_dims(1, 3), (Dims{1}));
}

TEST(Dims, ReadsAndWrites) {
  EXPECT_EQ(parse_dims("4x4x2"), (Dims{4, 4, 2}));
  EXPECT_EQ(dims_text(Dims{4, 4, 2}), "4x4x2");
  for (const char* text : {"", "x", "4x", "x4", "0", "4x0", "4.5", "-4", "4 x4", "99999x99999"}) {
    EXPECT_THROW((void)parse_dims(text), ConfigError) << text;
  }
}

TEST(Dims, RanksAndCoordinatesAreRowMajor) {
  const Dims dims{2, 3, 4};
  EXPECT_EQ(coordinates(23, dims), (Dims{1, 2, 3}));
  EXPECT_EQ(coordinates(4, dims), (Dims{0, 1, 0}));
  for (std::size_t rank = 0; rank < product(dims); ++rank) {
    EXPECT_EQ(rank_at(coordinates(rank, dims), dims), rank);
  }
}

}  // namespace
}  // namespace starling::collective
