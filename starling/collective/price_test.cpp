#include "starling/collective/price.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "starling/collective/catalog.hpp"

namespace starling::collective {
namespace {

const LinkModel kFlat{.alpha_seconds = 5e-6, .beta_seconds_per_byte = 1e-9};
const LinkModel kTorus{
    .alpha_seconds = 5e-8, .beta_seconds_per_byte = 1e-9, .torus = {3, 4}, .hop_seconds = 1e-6};

double time_of(const std::string& name, std::size_t bytes, const LinkModel& link) {
  const Choice choice = find_algorithm(name, Operation::all_reduce);
  Request request{.operation = Operation::all_reduce, .peers = 12, .elements = bytes / 4};
  choice.fill_in(request, 4, link.torus);
  return predict(schedules_of(*choice.entry, request), bytes / 4, 4, link);
}

class Cheapest : public ::testing::TestWithParam<LinkModel> {};

INSTANTIATE_TEST_SUITE_P(Networks, Cheapest, ::testing::Values(kFlat, kTorus));

TEST_P(Cheapest, NobodyBeatsItWhoLeavesTheSameBits) {
  const std::vector<std::size_t> lengths{4, 1000, 1U << 14U, 1U << 18U, 1U << 24U};
  const Selection selection{.link = GetParam(),
                            .measured = cheapest(Operation::all_reduce, 12, lengths, GetParam())};
  for (const std::size_t bytes : lengths) {
    const std::string chosen{choose(
        {.operation = Operation::all_reduce, .peers = 12, .elements = bytes / 4}, selection)};
    const double taken = time_of(chosen, bytes, GetParam());
    EXPECT_TRUE(find_algorithm(chosen, Operation::all_reduce).entry->same_bits_everywhere);
    for (const std::string& name : names_for(Operation::all_reduce)) {
      const CatalogEntry& entry = *find_algorithm(name, Operation::all_reduce).entry;
      if (entry.same_bits_everywhere && !entry.why_not({.peers = 12, .dims = {3, 4}})) {
        EXPECT_LE(taken, time_of(name, bytes, GetParam())) << chosen << " and " << name;
      }
    }
  }
}

TEST(Price, WhatStaysTheSameIsListedOnce) {
  const std::vector<std::size_t> lengths{4, 8, 12};
  const auto choices = cheapest(Operation::broadcast, 8, lengths, kFlat);
  ASSERT_EQ(choices.size(), 1U);
  EXPECT_EQ(choices.front().bytes_from, 0U);
  EXPECT_EQ(choices.front().peers, 8U);
}

TEST(Price, NoLengthsHaveNoChoices) {
  EXPECT_TRUE(cheapest(Operation::all_reduce, 12, {}, kFlat).empty());
}

}  // namespace
}  // namespace starling::collective
