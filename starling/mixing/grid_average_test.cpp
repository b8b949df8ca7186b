#include "starling/mixing/grid_average.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/collective/collective.hpp"
#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/random.hpp"

#include "tests/support/worlds.hpp"

namespace starling::mixing {
namespace {

using starling::testing::Kind;
using ::testing::HasSubstr;
using topology::GridExtents;
using topology::GridGroups;

using Models = std::vector<std::vector<float>>;
using Grid = std::shared_ptr<const GridGroups>;

constexpr double kUnitRoundoff = std::numeric_limits<float>::epsilon() / 2;

Grid in_order(const GridExtents& extents, std::size_t peers) {
  return std::make_shared<const GridGroups>(GridGroups::in_order(extents, peers));
}

std::size_t cells_of(const GridExtents& extents) {
  std::size_t cells = 1;
  for (const std::size_t extent : extents) {
    cells *= extent;
  }
  return cells;
}

struct Setting {
  GridAverageOptions options{};
  MixingOptions policy{};
  std::vector<std::vector<std::size_t>> absent{};  ///< by round
  /// Before each round; false: the peer leaves.
  std::function<bool(Peer&, std::uint64_t round, std::vector<float>&)> prepare{};
};

struct Ended {
  Models models;
  std::vector<std::uint64_t> counts;
  std::vector<MixingReport> reports;  ///< of the last round
  RunReport report;
};

/// Runs `rounds` rounds on the models of all peers.
Ended average(Kind kind, const Grid& grid, Models models, std::uint64_t rounds, Setting run = {}) {
  Ended ended{std::move(models), {}, {}, {}};
  ended.counts.resize(grid->peers());
  ended.reports.resize(grid->peers());
  const auto world = starling::testing::make_world(kind, {.peers = grid->peers()});
  ended.report = world->run([&](Peer& peer) {
    const Group group = Group::everyone(peer);
    std::vector<float>& model = ended.models[group.rank()];
    GridAverage mixing(group, grid, run.options);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      if (run.prepare && !run.prepare(peer, round, model)) {
        return;
      }
      MixingOptions options = run.policy;
      options.round = round;
      options.deadline = peer.clock().in(std::chrono::seconds(60));
      const Absent absent = round < run.absent.size() ? Absent(run.absent[round]) : Absent();
      ended.reports[group.rank()] = mixing.round(model, options, absent);
      ended.counts[group.rank()] = mixing.count();
    }
  });
  return ended;
}

Models random_models(std::size_t peers, std::size_t elements) {
  Models models(peers, std::vector<float>(elements));
  Random random(5);
  for (auto& model : models) {
    for (float& value : model) {
      value = static_cast<float>(random.normal());
    }
  }
  return models;
}

Models numbered_models(std::size_t peers) {
  Models models;
  for (std::size_t rank = 0; rank < peers; ++rank) {
    models.push_back({static_cast<float>(rank)});
  }
  return models;
}

std::vector<double> mean_of(const Models& models) {
  std::vector<double> mean(models.front().size());
  for (const auto& model : models) {
    for (std::size_t k = 0; k < mean.size(); ++k) {
      mean[k] += double{model[k]} / static_cast<double>(models.size());
    }
  }
  return mean;
}

double variance_of(const Models& models) {
  const auto mean = mean_of(models);
  double sum = 0.0;
  for (const auto& model : models) {
    for (std::size_t k = 0; k < mean.size(); ++k) {
      sum += (model[k] - mean[k]) * (model[k] - mean[k]);
    }
  }
  return sum / static_cast<double>(models.size());
}

double largest_of(const Models& models) {
  double largest = 0.0;
  for (const auto& model : models) {
    for (const float value : model) {
      largest = std::max(largest, std::abs(double{value}));
    }
  }
  return largest;
}

/// A round sums g models, each addition rounding a number of at most g max|x|, and multiplies
/// before and after with weights that are themselves rounded: of the mean that is at most
/// (g - 1) + 4 roundings of max|x|.
double tolerance(const GridExtents& extents, const Models& models) {
  double roundings = 0.0;
  for (const std::size_t extent : extents) {
    roundings += static_cast<double>(extent) + 3.0;
  }
  return roundings * kUnitRoundoff * largest_of(models);
}

void expect_all_at(const std::vector<double>& mean, const Models& models, double tolerance) {
  for (const auto& model : models) {
    for (std::size_t k = 0; k < mean.size(); ++k) {
      ASSERT_NEAR(model[k], mean[k], tolerance);
    }
  }
}

struct Shape {
  GridExtents extents;
  Kind kind = Kind::threads;
};

std::vector<Shape> shapes() {
  std::vector<Shape> list;
  for (const Kind kind : starling::testing::all_kinds()) {
    for (const GridExtents& extents : std::vector<GridExtents>{
             {1}, {5}, {2, 2}, {4, 4}, {3, 5}, {1, 7}, {2, 3, 4}, {4, 4, 4}, {2, 2, 2, 2}}) {
      list.push_back({extents, kind});
    }
  }
  return list;
}

class FullGrid : public ::testing::TestWithParam<Shape> {
 protected:
  [[nodiscard]] const GridExtents& extents() const { return GetParam().extents; }

  [[nodiscard]] Kind kind() const { return GetParam().kind; }

  [[nodiscard]] std::size_t peers() const { return cells_of(extents()); }
};

INSTANTIATE_TEST_SUITE_P(Shapes, FullGrid, ::testing::ValuesIn(shapes()), [](const auto& test) {
  return to_string(test.param.kind) + "_" + topology::to_string(test.param.extents);
});

TEST_P(FullGrid, IsExactAfterOneRoundAnAxisAndNotBefore) {
  const Models before = random_models(peers(), 7);
  const auto grid = in_order(extents(), peers());
  const double allowed = tolerance(extents(), before);
  for (const GridWeights weights : {GridWeights::counts, GridWeights::equal}) {
    const Setting run{.options = {.weights = weights}};
    const Ended ended = average(kind(), grid, before, extents().size(), run);
    ended.report.or_throw();
    expect_all_at(mean_of(before), ended.models, allowed);
    EXPECT_EQ(ended.counts[0], weights == GridWeights::counts ? peers() : 1);
    if (extents().back() > 1) {
      const Ended early = average(kind(), grid, before, extents().size() - 1, run);
      EXPECT_GT(variance_of(early.models), 0.01);
    }
  }
}

TEST_P(FullGrid, AfterRRoundsPeersThatAgreeInTheAxesToComeAreEqual) {
  const auto grid = in_order(extents(), peers());
  Models models = random_models(peers(), 3);
  for (std::size_t rounds = 1; rounds <= extents().size(); ++rounds) {
    const Ended ended = average(kind(), grid, models, rounds);
    ended.report.or_throw();
    for (std::size_t a = 0; a < peers(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const auto at_a = grid->coordinates(a);
        const auto at_b = grid->coordinates(b);
        const auto done = static_cast<std::ptrdiff_t>(rounds);
        if (std::equal(at_a.begin() + done, at_a.end(), at_b.begin() + done)) {
          ASSERT_EQ(ended.models[a], ended.models[b]) << a << " and " << b << ", round " << rounds;
        }
      }
    }
  }
}

TEST_P(FullGrid, VarianceNeverRises) {
  const auto grid = in_order(extents(), peers());
  const Models models = random_models(peers(), 3);
  // A rounded mean lies beside the mean: by the tolerance, squared, for each of the elements.
  const double rounding = 3 * std::pow(tolerance(extents(), models), 2);
  double before = variance_of(models);
  for (std::size_t rounds = 1; rounds <= 2 * extents().size(); ++rounds) {
    const double after = variance_of(average(kind(), grid, models, rounds).models);
    EXPECT_LE(after, before * (1.0 + 1e-6) + rounding) << rounds;
    before = after;
  }
}

TEST_P(FullGrid, WholeNumbersAreAveragedToTheBit) {
  // The mean of n models that are multiples of n is whole on every sub-grid of a power of two.
  const bool powers = std::all_of(extents().begin(), extents().end(), [](std::size_t extent) {
    return (extent & (extent - 1)) == 0;
  });
  Models models = numbered_models(peers());
  double mean = 0.0;
  for (auto& model : models) {
    model[0] *= static_cast<float>(peers());
    mean += double{model[0]} / static_cast<double>(peers());
  }
  const Ended ended = average(kind(), in_order(extents(), peers()), models, extents().size());
  for (const auto& model : ended.models) {
    if (powers) {
      EXPECT_EQ(model[0], mean);
    }
    EXPECT_EQ(model, ended.models[0]);
  }
}

TEST_P(FullGrid, SendsAnAllReduceOfTheWholeModelAnAxis) {
  constexpr std::size_t kElements = 840;  // every extent divides it
  const auto grid = in_order(extents(), peers());
  const Models models = random_models(peers(), kElements);
  const Setting run{.options = {.weights = GridWeights::equal, .collective = "ring"}};
  double expected = 0.0;  // sum over the axes of 2 (1 - 1/d) m
  for (const std::size_t extent : extents()) {
    expected += 2.0 * (1.0 - 1.0 / static_cast<double>(extent)) * kElements * sizeof(float);
  }
  const Ended ended = average(kind(), grid, models, extents().size(), run);
  for (const PeerOutcome& outcome : ended.report.peers) {
    EXPECT_NEAR(static_cast<double>(outcome.meter.payload_bytes_sent), expected, 1e-6);
  }
}

TEST(GridAverage, ThirtyTwoByThirtyTwoAverageAThousandPeersInTwoRounds) {
  const GridExtents extents{32, 32};
  const Models before = random_models(1024, 2);
  for (const Kind kind : starling::testing::all_kinds()) {
    const Ended ended = average(kind, in_order(extents, 1024), before, 2);
    ended.report.or_throw();
    expect_all_at(mean_of(before), ended.models, tolerance(extents, before));
    EXPECT_EQ(ended.counts[77], 1024U);
  }
}

TEST(GridAverage, EightByEightByEightAverageInThreeRounds) {
  const GridExtents extents{8, 8, 8};
  const Models before = random_models(512, 2);
  for (const Kind kind : starling::testing::all_kinds()) {
    const Ended ended = average(kind, in_order(extents, 512), before, 3);
    ended.report.or_throw();
    expect_all_at(mean_of(before), ended.models, tolerance(extents, before));
  }
}

TEST(GridAverage, TheSameBitsInEveryWorld) {
  const auto grid = std::make_shared<const GridGroups>(GridGroups::scattered({4, 5}, 13, 2));
  const Models before = random_models(13, 33);
  const Setting run{.absent = {{3, 8}, {0}, {}, {1, 2, 3}}};
  Models first;
  for (const Kind kind : starling::testing::all_kinds()) {
    const Ended ended = average(kind, grid, before, 6, run);
    ended.report.or_throw();
    if (first.empty()) {
      first = ended.models;
    }
    EXPECT_EQ(ended.models, first);
  }
}

/// Cells 0..6 of 3x3: columns of 3, 2 and 2, rows of 3, 3 and 1.
TEST(GridAverage, EmptyCellsWeighNothingWithCounts) {
  const Models before = numbered_models(7);
  const Ended ended = average(Kind::threads, in_order({3, 3}, 7), before, 2);
  ended.report.or_throw();
  // Round 0: columns {0,3,6}, {1,4}, {2,5} have means 3, 2.5, 3.5 with counts 3, 2, 2. Round 1:
  // rows 0 and 1 hold one of each: (9 + 5 + 7)/7 = 3, the mean of all. Row 2 is peer 6 alone.
  for (std::size_t rank = 0; rank < 7; ++rank) {
    EXPECT_NEAR(ended.models[rank][0], 3.0, 12 * 7 * kUnitRoundoff) << rank;
    EXPECT_EQ(ended.counts[rank], rank == 6 ? 3U : 7U);
  }
}

TEST(GridAverage, EqualWeightsKeepTheMeanOfAllWhoeverIsAbsent) {
  const auto grid = std::make_shared<const GridGroups>(GridGroups::scattered({4, 4}, 11, 1));
  const Models before = random_models(11, 5);
  const Setting run{.options = {.weights = GridWeights::equal},
                    .absent = {{0, 4}, {5}, {}, {1, 2, 9}, {10}}};
  const Ended ended = average(Kind::threads, grid, before, 8, run);
  ended.report.or_throw();
  const auto expected = mean_of(before);
  const auto found = mean_of(ended.models);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(found[k], expected[k], 4 * tolerance({4, 4}, before));  // four cycles
  }
  EXPECT_LT(variance_of(ended.models), 0.01 * variance_of(before));
}

TEST(GridAverage, TheAbsentKeepTheirModelAndTheOthersDoNotWait) {
  const Setting run{.absent = {{1}}};
  const Ended ended = average(Kind::threads, in_order({2, 2}, 4), numbered_models(4), 1, run);
  ended.report.or_throw();
  // Columns {0, 2} and {1, 3}; peer 3 is alone.
  EXPECT_EQ(ended.models, (Models{{1.0F}, {1.0F}, {1.0F}, {3.0F}}));
  EXPECT_EQ(ended.counts, (std::vector<std::uint64_t>{2, 1, 2, 1}));
  EXPECT_EQ(ended.report.peers[1].meter.messages_sent, 0U);
}

/// Peer 4, the middle of a 3x3 grid, leaves before the first round.
TEST(GridAverage, TheGroupOfALostPeerAveragesItsSurvivorsByTheirCounts) {
  for (const Kind kind : starling::testing::all_kinds()) {
    const Setting run{.policy = {.on_loss = OnLoss::continue_},
                      .prepare = [](Peer& peer, std::uint64_t, std::vector<float>&) {
                        return peer.id() != PeerId{4};
                      }};
    const Ended ended = average(kind, in_order({3, 3}, 9), numbered_models(9), 2, run);
    ended.report.or_throw();
    // Round 0: columns {0,3,6}, {1,7}, {2,5,8} have means 3, 4, 5 with counts 3, 2, 3. Round 1:
    // rows 0 and 2 have (9 + 8 + 15)/8 = 4, the mean of the survivors; row 1 has (9 + 15)/6 = 4.
    for (std::size_t rank = 0; rank < 9; ++rank) {
      const bool middle_row = rank / 3 == 1;
      EXPECT_NEAR(ended.models[rank][0], 4.0, 12 * 8 * kUnitRoundoff) << rank;
      if (rank != 4) {
        EXPECT_EQ(ended.counts[rank], middle_row ? 6U : 8U) << rank;
        EXPECT_EQ(ended.reports[rank].lost, middle_row ? 1U : 0U) << rank;
      }
    }
  }
}

TEST(GridAverage, ALostPeerStaysOutOfLaterCyclesWithoutAWait) {
  const Setting run{.policy = {.on_loss = OnLoss::continue_},
                    .prepare = [](Peer& peer, std::uint64_t round, std::vector<float>&) {
                      return round < 1 || peer.id() != PeerId{3};
                    }};
  const Ended ended = average(Kind::threads, in_order({2, 2}, 4), numbered_models(4), 6, run);
  ended.report.or_throw();
  // Round 0 is complete: 1, 2, 1, 2. In round 1 peer 3 is lost to peer 2, in round 2 to peer 1.
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(ended.reports[rank].lost, 0U) << rank;  // of the last round
    EXPECT_GT(ended.models[rank][0], 0.99F);
    EXPECT_LT(ended.models[rank][0], 1.51F);
  }
}

/// Peer 2 takes part in the all-reduce of the group of four and is gone before it could say that it
/// has the sum: all others have it, so it counts.
TEST(GridAverage, APeerThatDiesBehindTheSumIsStillInIt) {
  for (const Kind kind : starling::testing::all_kinds()) {
    std::vector<float> models{0.0F, 1.0F, 2.0F, 5.0F};
    std::vector<std::size_t> lost(4);
    const auto grid = in_order({4}, 4);
    const auto world = starling::testing::make_world(kind, {.peers = 4});
    world
        ->run([&](Peer& peer) {
          const Group group = Group::everyone(peer);
          const std::size_t rank = group.rank();
          const Deadline deadline = peer.clock().in(std::chrono::seconds(60));
          if (rank == 2) {
            const std::vector<float> own{models[2], 1.0F};
            std::vector<float> sums(2);
            collective::Collective(group).all_reduce(
                own, sums, collective::Reduction::sum, {.deadline = deadline});
            return;
          }
          GridAverage mixing(group, grid);
          const std::span model(&models[rank], 1);
          lost[rank] =
              mixing.round(model, {.deadline = deadline, .on_loss = OnLoss::continue_}).lost;
          EXPECT_EQ(model[0], 2.0F);
          EXPECT_EQ(mixing.count(), 4U);
          const MixingReport next =
              mixing.round(model, {.round = 1, .deadline = deadline, .on_loss = OnLoss::continue_});
          EXPECT_EQ(next.lost, 0U);
          EXPECT_EQ(mixing.count(), 3U);
        })
        .or_throw();
    EXPECT_EQ(lost, (std::vector<std::size_t>{1, 1, 0, 1}));
  }
}

TEST(GridAverage, ALossStopsWithTheWordsOfTheFirstAndLeavesTheModels) {
  const Setting run{.prepare = [](Peer& peer, std::uint64_t, std::vector<float>&) -> bool {
    if (peer.id() == PeerId{2}) {
      throw DataError("shard is unreadable");
    }
    return true;
  }};
  const Ended ended = average(Kind::threads, in_order({4}, 4), numbered_models(4), 1, run);
  ASSERT_EQ(ended.report.culprit, 2U);
  EXPECT_EQ(ended.models, numbered_models(4));
  try {
    std::rethrow_exception(ended.report.peers[0].error);
  } catch (const PeerLost& lost) {
    EXPECT_THAT(lost.what(), HasSubstr("shard is unreadable"));
  }
}

bool poison_peer_1(Peer& peer, std::uint64_t, std::vector<float>& model) {
  if (peer.id() == PeerId{1}) {
    model[0] = std::numeric_limits<float>::quiet_NaN();
  }
  return true;
}

TEST(GridAverage, SkipPeerLeavesOutWhatIsNotFinite) {
  for (const GridWeights weights : {GridWeights::counts, GridWeights::equal}) {
    const Setting run{.options = {.weights = weights},
                      .policy = {.not_finite = NotFinite::skip_peer},
                      .prepare = poison_peer_1};
    const Ended ended = average(Kind::threads, in_order({3}, 3), {{1.0F}, {5.0F}, {3.0F}}, 1, run);
    ended.report.or_throw();
    EXPECT_EQ(ended.models, (Models{{2.0F}, {2.0F}, {2.0F}}));
    EXPECT_EQ(ended.reports[1].rejected, 1U);
  }
}

TEST(GridAverage, StopNamesThePeerThatIsNotFinite) {
  const Setting run{.prepare = poison_peer_1};
  const Ended ended = average(Kind::threads, in_order({3}, 3), {{1.0F}, {5.0F}, {3.0F}}, 1, run);
  EXPECT_EQ(ended.report.culprit, 1U);
  try {
    ended.report.or_throw();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const NotFiniteError& error) {
    EXPECT_THAT(error.what(), HasSubstr("round 0: the model of peer 1 is not finite at element 0"));
  }
}

TEST(GridAverage, AGroupWithoutAFiniteModelIsRefused) {
  const Setting run{.policy = {.not_finite = NotFinite::skip_peer},
                    .prepare = [](Peer&, std::uint64_t, std::vector<float>& model) {
                      model[0] = std::numeric_limits<float>::infinity();
                      return true;
                    }};
  const Ended ended = average(Kind::threads, in_order({2}, 2), numbered_models(2), 1, run);
  EXPECT_THROW(ended.report.or_throw(), NotFiniteError);
}

TEST(GridAverage, EmptyModelsAreAveragedToo) {
  const Ended ended = average(Kind::threads, in_order({2, 2}, 4), Models(4), 2);
  ended.report.or_throw();
  EXPECT_EQ(ended.counts[3], 4U);
}

TEST(GridAverage, AGridOfAnotherSizeBreaksTheContract) {
  const auto world = starling::testing::make_world(Kind::threads, {.peers = 2});
  const RunReport report = world->run([](Peer& peer) {
    const Group group = Group::everyone(peer);
    GridAverage(group, in_order({3}, 3));
  });
  EXPECT_THROW(report.or_throw(), ContractError);
}

}  // namespace
}  // namespace starling::mixing
