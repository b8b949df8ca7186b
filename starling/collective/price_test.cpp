#include "starling/collective/price.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "starling/collective/catalog.hpp"

namespace starling::collective {
namespace {

const LinkModel kFlat{.alpha_seconds = 5e-6, .beta_seconds_per_byte = 1e-9};

const Price& price_of(const std::vector<Price>& all, const std::string& name) {
  return *std::find_if(
      all.begin(), all.end(), [&](const Price& each) { return each.algorithm == name; });
}

TEST(Price, ARingIsItsFormula) {
  constexpr double kPeers = 6.0;
  const auto all = prices(Operation::all_reduce, 6, kFlat);
  const Price& ring = price_of(all, "ring");
  EXPECT_NEAR(ring.fixed, 10 * kFlat.alpha_seconds, 1e-12);
  const double share = (kPeers - 1) / kPeers;
  const double per_byte = share * (2 * kFlat.beta_seconds_per_byte + kFlat.gamma_seconds_per_byte);
  EXPECT_NEAR(ring.per_byte, per_byte, 1e-6 * per_byte);
}

TEST(Price, OnlySameBitsAreSold) {
  for (const Price& each : prices(Operation::all_reduce, 8, kFlat)) {
    EXPECT_TRUE(find_algorithm(each.algorithm, Operation::all_reduce).entry->same_bits_everywhere);
  }
}

TEST(Price, TheCheapestIsNeverBeatenByMoreThanTheStepOfTheTable) {
  const auto all = prices(Operation::all_reduce, 12, kFlat);
  const Selection selection{.link = kFlat, .measured = cheapest(Operation::all_reduce, 12, all)};
  for (std::size_t bytes = 4; bytes < (std::size_t{1} << 30U); bytes = bytes * 3 / 2) {
    const auto chosen =
        choose({.operation = Operation::all_reduce, .peers = 12, .elements = bytes / 4}, selection);
    const double best = std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
                          return a.of(bytes) < b.of(bytes);
                        })->of(bytes);
    EXPECT_LE(price_of(all, std::string(chosen)).of(bytes), 1.02 * best) << bytes;
  }
}

TEST(Price, AnEmptyListChoosesNothing) {
  EXPECT_TRUE(cheapest(Operation::all_reduce, 12, {}).empty());
}

}  // namespace
}  // namespace starling::collective
