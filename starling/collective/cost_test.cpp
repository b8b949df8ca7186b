// Predictions from schedules equal the closed formulas of docs/collectives.md.
#include "starling/collective/cost.hpp"

#include <bit>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "starling/collective/catalog.hpp"
#include "starling/collective/fold.hpp"

namespace starling::collective {
namespace {

const LinkModel kLink{
    .alpha_seconds = 3e-6, .beta_seconds_per_byte = 2e-9, .gamma_seconds_per_byte = 0.5e-9};

double predicted(const std::string& name,
                 Operation operation,
                 std::size_t n,
                 std::size_t elements,
                 const LinkModel& link = kLink) {
  const Request request{.operation = operation, .peers = n, .elements = elements};
  return predict(
      schedules_of(*find_algorithm(name, operation).entry, request), elements, sizeof(float), link);
}

/// Messages, multiples of the vector sent, multiples of the vector added, one after another.
double formula(double messages, double sent, double added, std::size_t elements) {
  const auto bytes = static_cast<double>(elements * sizeof(float));
  return messages * kLink.alpha_seconds + sent * bytes * kLink.beta_seconds_per_byte +
         added * bytes * kLink.gamma_seconds_per_byte;
}

/// Sums of at most a few hundred terms in another order.
void expect_same(double found, double wanted) {
  EXPECT_NEAR(found, wanted, 1e-12 + 1e-9 * wanted);
}

/// Equal if n is a power of two. Else ranks that have nothing to do in a round run ahead: their
/// messages share ports with those of others, and their additions overlap.
void expect_near(double found, double wanted, std::size_t n) {
  if (std::has_single_bit(n)) {
    expect_same(found, wanted);
    return;
  }
  EXPECT_GT(found, 0.75 * wanted);
  EXPECT_LT(found, 1.8 * wanted);
}

class Priced : public ::testing::TestWithParam<std::size_t> {
 protected:
  std::size_t n = GetParam();
  std::size_t elements = n * 1024;
  double share = static_cast<double>(n - 1) / static_cast<double>(n);
  double up = static_cast<double>(ceil_log2(n));
  double down = static_cast<double>(floor_log2(n));
};

INSTANTIATE_TEST_SUITE_P(Sizes,
                         Priced,
                         ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 31, 33, 64));

TEST_P(Priced, Ring) {
  expect_same(predicted("ring", Operation::all_reduce, n, elements),
              formula(2.0 * static_cast<double>(n - 1), 2 * share, share, elements));
  expect_same(predicted("ring", Operation::reduce_scatter, n, elements),
              formula(static_cast<double>(n - 1), share, share, elements));
  expect_same(predicted("ring", Operation::all_gather, n, elements),
              formula(static_cast<double>(n - 1), share, 0, elements));
}

TEST_P(Priced, Circulant) {
  expect_same(predicted("circulant", Operation::all_reduce, n, elements),
              formula(2 * up, 2 * share, share, elements));
  expect_same(predicted("circulant", Operation::barrier, n, 0), formula(up, 0, 0, 0));
}

TEST_P(Priced, RecursiveDoubling) {
  const bool folds = Fold(n, Fold::Stays::odd).extra() > 0;
  expect_near(
      predicted("recursive-doubling", Operation::all_reduce, n, elements),
      formula(down + (folds ? 2 : 0), down + (folds ? 2 : 0), down + (folds ? 1 : 0), elements),
      n);
}

TEST_P(Priced, HalvingDoubling) {
  const Fold fold(n, Fold::Stays::even);
  const bool folds = fold.extra() > 0;
  const auto core = static_cast<double>(fold.core_size());
  const std::size_t divisible = fold.core_size() * 1024;
  const double core_share = (core - 1) / core;
  expect_near(predicted("halving-doubling", Operation::all_reduce, n, divisible),
              formula(2 * down + (folds ? 3 : 0),
                      2 * core_share + (folds ? 2 : 0),
                      core_share + (folds ? 0.5 : 0),
                      divisible),
              n);
}

TEST_P(Priced, Binomial) {
  expect_same(predicted("binomial", Operation::broadcast, n, elements),
              formula(up, up, 0, elements));
  expect_near(
      predicted("binomial", Operation::reduce, n, elements), formula(up, up, up, elements), n);
}

/// Two lanes between two ranks, a message of half the vector each.
std::vector<Schedule> two_lanes() {
  std::vector<Schedule> pair{make_schedule(2, 0, 2), make_schedule(2, 1, 2)};
  for (Schedule& each : pair) {
    each.lanes.resize(2);
    for (std::size_t lane = 0; lane < 2; ++lane) {
      each.lanes[lane].open_round();
      each.lanes[lane].transfer(Action::send, 1 - each.rank, {Range{lane, lane + 1}});
      each.lanes[lane].transfer(Action::add, 1 - each.rank, {Range{lane, lane + 1}});
    }
  }
  return pair;
}

TEST(Cost, PortsCarryLanesAtOnceButARankAddsOneThingAtATime) {
  LinkModel link = kLink;
  constexpr std::size_t kElements = 4096;
  const double half = kElements * sizeof(float) / 2.0;
  const double message = link.alpha_seconds + half * link.beta_seconds_per_byte;
  const double addition = half * link.gamma_seconds_per_byte;
  expect_same(predict(two_lanes(), kElements, sizeof(float), link), 2 * message + 2 * addition);
  link.ports = 2;
  expect_same(predict(two_lanes(), kElements, sizeof(float), link), message + 2 * addition);
}

}  // namespace
}  // namespace starling::collective
