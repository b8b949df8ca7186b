#include "starling/objective/batches.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/range.hpp"

namespace starling::objective {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using Indices = std::vector<std::uint32_t>;

Indices copy_of(std::span<const std::uint32_t> batch) {
  return {batch.begin(), batch.end()};
}

Indices sorted(Indices values) {
  std::sort(values.begin(), values.end());
  return values;
}

Indices count_up(std::size_t first, std::size_t size) {
  Indices values(size);
  std::iota(values.begin(), values.end(), static_cast<std::uint32_t>(first));
  return values;
}

/// `samples` cut into near-equal shards, and the Batches of every peer.
struct Flock {
  Flock(std::size_t samples, std::size_t peers, std::size_t batch, LastBatch policy) {
    for (std::size_t peer = 0; peer < peers; ++peer) {
      sizes.push_back(chunk(samples, peers, peer).size());
    }
    steps = steps_per_epoch(sizes, batch, policy);
    for (std::size_t peer = 0; peer < peers; ++peer) {
      const Range range = chunk(samples, peers, peer);
      batches.emplace_back(
          count_up(range.begin, range.size()),
          Batches::Options{
              .batch_size = batch, .policy = policy, .steps_per_epoch = steps, .peer = peer});
    }
  }

  /// All samples of one epoch over all peers, with repetitions.
  Indices epoch() {
    Indices seen;
    for (std::uint64_t step = 0; step < steps; ++step) {
      for (Batches& of_peer : batches) {
        const auto batch = of_peer.next();
        seen.insert(seen.end(), batch.begin(), batch.end());
      }
    }
    return seen;
  }

  std::vector<std::size_t> sizes;
  std::uint64_t steps = 0;
  std::vector<Batches> batches;
};

// 858 = 215 + 215 + 214 + 214; the last of the 27 batches has 7 or 6 samples.
TEST(Batches, JoinOutSeesEverySampleOnceInEveryEpoch) {
  Flock flock(858, 4, 8, LastBatch::join_out);
  EXPECT_THAT(flock.sizes, ElementsAre(215, 215, 214, 214));
  EXPECT_EQ(flock.steps, 27U);
  for (int epoch = 0; epoch < 3; ++epoch) {
    EXPECT_EQ(sorted(flock.epoch()), count_up(0, 858)) << epoch;
  }
}

// The smallest shard has 26 full batches: 4 * 26 * 8 samples, none twice.
TEST(Batches, DropLastGivesFullBatchesOnly) {
  Flock flock(858, 4, 8, LastBatch::drop_last);
  EXPECT_EQ(flock.steps, 26U);
  Indices seen = sorted(flock.epoch());
  EXPECT_THAT(seen, SizeIs(832));
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

// 27 full batches a peer: 864 samples, of which 858 are different.
TEST(Batches, PadFillsUpFromTheStartOfTheEpoch) {
  Flock flock(858, 4, 8, LastBatch::pad);
  EXPECT_EQ(flock.steps, 27U);
  Batches& first = flock.batches[0];
  const Indices start = copy_of(first.next());
  Indices last;
  for (int step = 1; step < 27; ++step) {
    last = copy_of(first.next());
  }
  ASSERT_THAT(last, SizeIs(8));
  EXPECT_EQ(last[7], start[0]);
  first.set_position({});
  Indices seen = sorted(flock.epoch());
  EXPECT_THAT(seen, SizeIs(864));
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  EXPECT_EQ(seen, count_up(0, 858));
}

TEST(Batches, SevenSamplesOnFourPeers) {
  Flock join(7, 4, 8, LastBatch::join_out);
  EXPECT_EQ(join.steps, 1U);
  EXPECT_EQ(sorted(join.epoch()), count_up(0, 7));

  Flock pad(7, 4, 8, LastBatch::pad);
  EXPECT_EQ(pad.steps, 1U);
  EXPECT_THAT(pad.epoch(), SizeIs(32));
  pad.batches[3].set_position({});
  EXPECT_EQ(copy_of(pad.batches[3].next()), Indices(8, 6));  // its only sample, eight times

  EXPECT_THROW(Flock(7, 4, 8, LastBatch::drop_last), ConfigError);
  EXPECT_EQ(Flock(7, 4, 1, LastBatch::drop_last).steps, 1U);
}

TEST(Batches, PeersWithFewerBatchesGetEmptyOnesAtTheEnd) {
  Batches batches({1, 2, 3}, {.batch_size = 2, .steps_per_epoch = 4});
  EXPECT_THAT(batches.next(), SizeIs(2));
  EXPECT_THAT(batches.next(), SizeIs(1));
  EXPECT_THAT(batches.next(), SizeIs(0));
  EXPECT_THAT(batches.next(), SizeIs(0));
  EXPECT_THAT(batches.next(), SizeIs(2));  // the next epoch
}

TEST(Batches, PadWalksRoundAShortShardWithoutPreferringItsStart) {
  Batches batches({1, 2, 3}, {.batch_size = 2, .policy = LastBatch::pad, .steps_per_epoch = 3});
  Indices seen;
  for (int step = 0; step < 3; ++step) {
    const Indices batch = copy_of(batches.next());
    seen.insert(seen.end(), batch.begin(), batch.end());
  }
  EXPECT_EQ(sorted(seen), (Indices{1, 1, 2, 2, 3, 3}));
}

TEST(Batches, AnEmptyShardGivesEmptyBatches) {
  Batches batches({}, {.steps_per_epoch = 2});
  for (int step = 0; step < 5; ++step) {
    EXPECT_THAT(batches.next(), SizeIs(0));
  }
}

TEST(Batches, OrderDiffersByEpochPeerAndSeedAndByNothingElse) {
  const auto first_epochs = [](std::uint64_t seed, std::uint64_t peer) {
    Batches batches(count_up(0, 50),
                    {.batch_size = 50, .steps_per_epoch = 1, .seed = seed, .peer = peer});
    return std::array{copy_of(batches.next()), copy_of(batches.next())};
  };
  const auto base = first_epochs(1, 0);
  EXPECT_EQ(base, first_epochs(1, 0));
  EXPECT_NE(base[0], base[1]);
  EXPECT_NE(base[0], first_epochs(1, 1)[0]);
  EXPECT_NE(base[0], first_epochs(2, 0)[0]);
}

class BatchesWith : public ::testing::TestWithParam<LastBatch> {};

TEST_P(BatchesWith, ContinuesFromAnyPosition) {
  const Batches::Options options{.batch_size = 3,
                                 .policy = GetParam(),
                                 .steps_per_epoch = GetParam() == LastBatch::drop_last ? 3U : 4U};
  Batches straight(count_up(10, 11), options);
  for (int step = 0; step < 10; ++step) {
    Batches resumed(count_up(10, 11), options);
    resumed.set_position(straight.position());
    EXPECT_EQ(resumed.taken(), straight.taken());
    EXPECT_EQ(resumed.steps_left(), straight.steps_left());
    const Indices expected = copy_of(straight.next());
    EXPECT_EQ(copy_of(resumed.next()), expected) << step;
    EXPECT_EQ(resumed.position(), straight.position());
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BatchesWith, ::testing::Values(LastBatch::join_out, LastBatch::drop_last, LastBatch::pad));

TEST(Batches, TheRestOfAnEpochCanBeDealtOutAnew) {
  Batches batches(count_up(0, 10), {.batch_size = 4, .steps_per_epoch = 3});
  batches.next();
  EXPECT_EQ(batches.taken(), 4U);
  batches.replace_rest_of_epoch({70, 71, 72, 73, 74}, 2);
  EXPECT_EQ(batches.taken(), 0U);
  EXPECT_EQ(batches.steps_left(), 2U);
  EXPECT_THAT(batches.next(), ElementsAre(70, 71, 72, 73));
  EXPECT_THAT(batches.next(), ElementsAre(74));
  EXPECT_EQ(batches.position(), (Batches::Position{0, 3}));
  // The next epoch is the shard's own second one.
  Batches fresh(count_up(0, 10), {.batch_size = 4, .steps_per_epoch = 3});
  fresh.set_position({1, 0});
  EXPECT_EQ(copy_of(batches.next()), copy_of(fresh.next()));
  EXPECT_EQ(batches.position(), (Batches::Position{1, 1}));
}

// What a checkpoint keeps: the epoch, what order() has not taken, steps_left().
TEST(Batches, AReplacedRestContinuesFromWhatIsLeftOfIt) {
  Batches first(count_up(0, 10), {.batch_size = 2, .steps_per_epoch = 5});
  first.replace_rest_of_epoch({5, 6, 7, 8, 9}, 3);
  first.next();
  Batches second(count_up(0, 10), {.batch_size = 2, .steps_per_epoch = 5});
  second.set_position({first.position().epoch, 0});
  second.replace_rest_of_epoch(copy_of(first.order().subspan(first.taken())), first.steps_left());
  for (int step = 0; step < 9; ++step) {
    const Indices expected = copy_of(first.next());
    EXPECT_EQ(copy_of(second.next()), expected) << step;
  }
}

TEST(Batches, NothingLeftOfAnEpochMeansTheNextOneBegins) {
  Batches batches(count_up(0, 4), {.batch_size = 2, .steps_per_epoch = 2});
  batches.next();
  batches.replace_rest_of_epoch({}, 0);
  EXPECT_THAT(batches.next(), SizeIs(2));
  EXPECT_EQ(batches.position(), (Batches::Position{1, 1}));
}

TEST(Batches, PadWithoutARestFillsUpFromTheShard) {
  Batches batches({3}, {.batch_size = 2, .policy = LastBatch::pad, .steps_per_epoch = 1});
  batches.replace_rest_of_epoch({}, 1);
  EXPECT_THAT(batches.next(), ElementsAre(3, 3));
}

std::string refusal(std::vector<std::size_t> sizes, std::size_t batch, LastBatch policy) {
  try {
    steps_per_epoch(sizes, batch, policy);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(StepsPerEpoch, RefusesWhatGivesNoSteps) {
  EXPECT_THAT(refusal({5, 5}, 0, LastBatch::join_out), HasSubstr("batch size is 0"));
  EXPECT_THAT(refusal({0, 0}, 4, LastBatch::join_out), HasSubstr("no steps"));
  EXPECT_THAT(refusal({9, 3}, 4, LastBatch::drop_last), HasSubstr("smallest shard has 3"));
  EXPECT_THAT(refusal({9, 0}, 4, LastBatch::drop_last), HasSubstr("peer 1 has no samples"));
  EXPECT_THAT(refusal({0, 9}, 4, LastBatch::pad), HasSubstr("peer 0 has no samples"));
}

TEST(StepsPerEpoch, JoinOutAcceptsAnEmptyShard) {
  EXPECT_EQ(steps_per_epoch(std::vector<std::size_t>{0, 9}, 4, LastBatch::join_out), 3U);
}

TEST(Batches, RefusesPositionsOutsideTheEpoch) {
  Batches batches(count_up(0, 4), {.batch_size = 2, .steps_per_epoch = 2});
  EXPECT_THROW(batches.set_position({0, 3}), ContractError);
}

}  // namespace
}  // namespace starling::objective
