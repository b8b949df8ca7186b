// Predictions for torus algorithms equal the closed formulas, and their bounds hold.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "starling/collective/cost.hpp"
#include "starling/collective/dims.hpp"

#include "tests/support/collective_cases.hpp"

namespace starling::collective {
namespace {

using starling::testing::ask;
using Dims = std::vector<std::size_t>;

constexpr double kAlpha = 3e-6;
constexpr double kBeta = 2e-9;

/// The network of a torus on which nothing but messages takes time; alpha is on the way.
LinkModel links_of(const Dims& dims) {
  return {.alpha_seconds = 0.0,
          .beta_seconds_per_byte = kBeta,
          .gamma_seconds_per_byte = 0.0,
          .torus = dims,
          .hop_seconds = kAlpha};
}

double predicted(const std::string& name,
                 const Dims& dims,
                 Operation operation,
                 std::size_t elements,
                 const std::string& parameters = "") {
  const auto asked = ask(name + ":" + dims_text(dims) + parameters,
                         {.operation = operation, .peers = product(dims), .elements = elements});
  return predict(asked.schedules(), elements, sizeof(float), links_of(dims));
}

double steps(const Dims& dims) {
  double total = 0.0;
  for (const std::size_t extent : dims) {
    total += static_cast<double>(extent - 1);
  }
  return total;
}

/// In hops.
double longest_way(const Dims& dims) {
  double hops = 0.0;
  for (const std::size_t extent : dims) {
    hops += static_cast<double>(extent / 2);
  }
  return hops;
}

/// (p-1)/p m beta
double moving(const Dims& dims, std::size_t elements) {
  const auto peers = static_cast<double>(product(dims));
  return (peers - 1) / peers * static_cast<double>(elements * sizeof(float)) * kBeta;
}

/// Sums of at most a few hundred terms in another order.
void expect_same(double found, double wanted) {
  EXPECT_NEAR(found, wanted, 1e-12 + 1e-9 * wanted);
}

TEST(TorusCost, OneColorHasTheFormulaOfThePage) {
  for (const Dims& dims : {Dims{4, 4}, Dims{3, 5}, Dims{4, 3, 2}, Dims{6}}) {
    const std::size_t elements = product(dims) * 64;
    const double half = steps(dims) * kAlpha + moving(dims, elements);
    for (const Operation operation : {Operation::reduce_scatter,
                                      Operation::all_gather,
                                      Operation::scatter,
                                      Operation::gather}) {
      expect_same(predicted("bucket-torus", dims, operation, elements), half);
    }
    for (const Operation operation :
         {Operation::all_reduce, Operation::reduce, Operation::broadcast}) {
      expect_same(predicted("bucket-torus", dims, operation, elements), 2 * half);
    }
  }
}

TEST(TorusCost, AllColorsDivideTheBytesByTheirNumber) {
  // Axes longer than 2: on an axis of 2 both directions go over one link of this network.
  for (const Dims& dims : {Dims{4, 4}, Dims{3, 3}, Dims{3, 3, 3}, Dims{7}}) {
    const auto colors = static_cast<double>(2 * dims.size());
    const std::size_t elements = product(dims) * 2 * dims.size() * 16;
    const double half = steps(dims) * kAlpha + moving(dims, elements) / colors;
    for (const Operation operation :
         {Operation::all_reduce, Operation::reduce, Operation::broadcast}) {
      expect_same(predicted("multiported-torus", dims, operation, elements), 2 * half);
    }
    for (const Operation operation : {Operation::reduce_scatter,
                                      Operation::all_gather,
                                      Operation::scatter,
                                      Operation::gather}) {
      expect_same(predicted("multiported-torus", dims, operation, elements, ":layout=split"), half);
      const double reordering = predicted("multiported-torus", dims, operation, elements) - half;
      const auto share = static_cast<double>(elements / product(dims) * sizeof(float)) * kBeta;
      EXPECT_GT(reordering, kAlpha);
      EXPECT_LE(reordering, longest_way(dims) * kAlpha + 3 * share) << dims_text(dims);
    }
  }
}

/// Sum over phases of the slowest color's (d-1)(alpha + w m beta / product of the extents so far).
double with_barriers(const Dims& dims, const std::vector<double>& weights, double bytes) {
  double total = 0.0;
  for (std::size_t r = 0; r < dims.size(); ++r) {
    double slowest = 0.0;
    for (std::size_t c = 0; c < dims.size(); ++c) {
      double window = weights[c] / 2;
      for (std::size_t k = 0; k <= r; ++k) {
        window /= static_cast<double>(dims[(c + k) % dims.size()]);
      }
      const auto extent = static_cast<double>(dims[(c + r) % dims.size()]);
      slowest = std::max(slowest, (extent - 1) * (kAlpha + window * bytes * kBeta));
    }
    total += slowest;
  }
  return total;
}

/// The same from a schedule: how long a rank is busy in every phase of every color.
double with_barriers(const Schedule& schedule, const Dims& dims, std::size_t elements) {
  double total = 0.0;
  std::vector<std::size_t> next(schedule.lanes.size());
  for (std::size_t r = 0; r < dims.size(); ++r) {
    double slowest = 0.0;
    for (std::size_t c = 0; c < schedule.lanes.size(); ++c) {
      const Lane& lane = schedule.lanes[c];
      double phase = 0.0;
      for (std::size_t t = 0; t + 1 < dims[(c + r) % dims.size()]; ++t) {
        const Transfer& sent = lane.round(next[c]++).front();
        const Range run = schedule.cut.elements(lane.blocks(sent).front(), elements);
        phase += kAlpha + static_cast<double>(run.size() * sizeof(float)) * kBeta;
      }
      slowest = std::max(slowest, phase);
    }
    total += slowest;
  }
  return total;
}

TEST(TorusCost, WithBarriersBetweenPhasesUnequalAxesHaveTheFormulaOfThePage) {
  for (const Dims& dims : {Dims{8, 4}, Dims{3, 4}, Dims{6, 4, 3}}) {
    const std::size_t elements = product(dims) * 2 * dims.size() * 16;
    const std::vector<double> equal(dims.size(), 1.0 / static_cast<double>(dims.size()));
    const auto asked = ask("multiported-torus:" + dims_text(dims) + ":weights=equal",
                           {.peers = product(dims), .elements = elements});
    expect_same(with_barriers(asked.schedule(0), dims, elements),
                with_barriers(dims, equal, static_cast<double>(elements * sizeof(float))));
  }
}

TEST(TorusCost, NoWeightsBeatTheBoundOfAllLinks) {
  for (const Dims& dims : {Dims{8, 4}, Dims{6, 4, 3}}) {
    const std::size_t elements = product(dims) * 4096;
    const double bound = 2 * moving(dims, elements) / static_cast<double>(2 * dims.size());
    for (const char* weights : {":weights=equal", ":weights=solved"}) {
      EXPECT_GE(predicted("multiported-torus", dims, Operation::all_reduce, elements, weights),
                bound);
    }
  }
}

TEST(TorusCost, TheSpeedUpNearsButNeverReachesTwiceTheAxes) {
  const Dims dims{4, 4, 4};
  const auto speed_up = [&](std::size_t elements) {
    return predicted("bucket-torus", dims, Operation::all_reduce, elements) /
           predicted("multiported-torus", dims, Operation::all_reduce, elements);
  };
  // m beta = 10^4 S alpha
  const auto large = static_cast<std::size_t>(1e4 * steps(dims) * kAlpha / kBeta) / sizeof(float);
  EXPECT_GT(speed_up(large), 0.95 * 6);
  for (const std::size_t elements :
       {std::size_t{1}, std::size_t{256}, std::size_t{65536}, large, 100 * large}) {
    EXPECT_LT(speed_up(elements), 6.0) << elements;
  }
  EXPECT_NEAR(speed_up(1), 1.0, 0.01);
}

/// Some blocks are an element longer than others. Ranks that run ahead by its time would share a
/// link with their own earlier message; nobody does, as the schedules go in step.
TEST(TorusCost, VectorsThatDoNotDivideAreHardlySlower) {
  for (const Dims& dims : {Dims{8, 8, 8}, Dims{6, 6, 6}, Dims{5, 5}, Dims{5, 4, 3}}) {
    const std::size_t blocks = product(dims) * 2 * dims.size();
    const double even = predicted("multiported-torus", dims, Operation::all_reduce, blocks * 42);
    const double uneven =
        predicted("multiported-torus", dims, Operation::all_reduce, blocks * 42 + blocks * 2 / 3);
    EXPECT_NEAR(uneven / even, 1.0, 0.04) << dims_text(dims);
  }
}

TEST(TorusCost, HalfTheRoundsPayForShortVectors) {
  const Dims dims{5, 5};
  EXPECT_LT(predicted("half-way-torus", dims, Operation::all_reduce, 25),
            0.51 * predicted("multiported-torus", dims, Operation::all_reduce, 25));
  // With odd axes the bytes of a port are the same.
  constexpr std::size_t kElements = 25 * 4 * 65536;
  EXPECT_NEAR(predicted("half-way-torus", dims, Operation::all_reduce, kElements) /
                  predicted("multiported-torus", dims, Operation::all_reduce, kElements),
              1.0,
              0.01);
}

}  // namespace
}  // namespace starling::collective
