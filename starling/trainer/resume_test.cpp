#include "starling/trainer/resume.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <gmock/gmock.h>

#include "starling/core/error.hpp"
#include "starling/core/range.hpp"

namespace starling::trainer {
namespace {

using objective::Batches;
using objective::LastBatch;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Le;

constexpr std::uint64_t kSeed = 7;

struct Shape {
  std::size_t samples = 858;
  std::size_t peers = 4;
  std::size_t batch = 8;
  LastBatch policy = LastBatch::join_out;
};

DealOptions deal_options(const Shape& shape) {
  return {.peers = shape.peers, .batch_size = shape.batch, .policy = shape.policy, .seed = kSeed};
}

/// Batches of all peers over the samples 0 .. samples-1, cut in near-equal shards.
std::vector<Batches> all_batches(const Shape& shape) {
  std::vector<std::size_t> sizes;
  for (std::size_t peer = 0; peer < shape.peers; ++peer) {
    sizes.push_back(chunk(shape.samples, shape.peers, peer).size());
  }
  const std::uint64_t steps = objective::steps_per_epoch(sizes, shape.batch, shape.policy);
  std::vector<Batches> batches;
  for (std::size_t peer = 0; peer < shape.peers; ++peer) {
    const Range range = chunk(shape.samples, shape.peers, peer);
    std::vector<std::uint32_t> shard(range.size());
    std::iota(shard.begin(), shard.end(), static_cast<std::uint32_t>(range.begin));
    batches.emplace_back(std::move(shard),
                         Batches::Options{.batch_size = shape.batch,
                                          .policy = shape.policy,
                                          .steps_per_epoch = steps,
                                          .seed = kSeed,
                                          .peer = peer});
  }
  return batches;
}

using Visits = std::map<std::uint32_t, std::size_t>;

/// Takes `steps` steps at every peer and counts the samples, by epoch.
void take(std::vector<Batches>& batches,
          std::uint64_t steps,
          std::map<std::uint64_t, Visits>& seen) {
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (Batches& peer : batches) {
      const auto batch = peer.next();
      for (const std::uint32_t sample : batch) {
        ++seen[peer.position().epoch][sample];
      }
    }
  }
}

std::vector<DataState> states_of(const std::vector<Batches>& batches,
                                 std::optional<std::uint64_t> dealt_epoch) {
  std::vector<DataState> states;
  for (const Batches& peer : batches) {
    states.push_back(data_state(peer, dealt_epoch));
  }
  return states;
}

/// The batches of a run of `shape` that goes on where `old` stood; also its dealt epoch.
std::vector<Batches> resumed(const std::vector<DataState>& old, const Shape& shape) {
  std::vector<Batches> batches = all_batches(shape);
  if (old.size() == shape.peers) {
    for (std::size_t rank = 0; rank < old.size(); ++rank) {
      restore(batches[rank], old, rank, deal_options(shape));
    }
    return batches;
  }
  const RestOfEpoch rest = deal_rest_of_epoch(old, deal_options(shape));
  for (std::size_t rank = 0; rank < shape.peers; ++rank) {
    visit_rest(batches[rank], rest, rank);
  }
  return batches;
}

void expect_exact_cover(const Visits& visits, std::size_t samples) {
  EXPECT_EQ(visits.size(), samples);
  for (const auto& [sample, count] : visits) {
    EXPECT_EQ(count, 1U) << "sample " << sample;
  }
}

TEST(Resume, OtherPeersVisitTheRestOfTheEpochExactlyOnce) {
  for (const std::size_t new_peers : {1U, 2U, 3U, 5U, 9U, 64U}) {
    for (const std::uint64_t stop : {0U, 1U, 13U, 26U, 27U, 52U}) {
      SCOPED_TRACE(std::to_string(new_peers) + " peers after step " + std::to_string(stop));
      const Shape old_shape;
      std::map<std::uint64_t, Visits> seen;
      std::vector<Batches> old = all_batches(old_shape);  // 858 samples on 4 peers: 27 steps
      take(old, stop, seen);
      const Shape new_shape{.peers = new_peers};
      std::vector<Batches> fresh = resumed(states_of(old, std::nullopt), new_shape);
      take(fresh, 1000 / new_peers, seen);
      expect_exact_cover(seen[0], old_shape.samples);
      expect_exact_cover(seen[1], old_shape.samples);
    }
  }
}

TEST(Resume, ChangingThePeersTwiceInOneEpochStillCoversIt) {
  std::map<std::uint64_t, Visits> seen;
  std::vector<Batches> first = all_batches({.peers = 4});
  take(first, 5, seen);
  std::vector<Batches> second = resumed(states_of(first, std::nullopt), {.peers = 3});
  take(second, 7, seen);
  std::vector<Batches> third = resumed(states_of(second, 0), {.peers = 8});
  take(third, 100, seen);
  expect_exact_cover(seen[0], 858);
}

TEST(Resume, PartsDifferByAtMostOneSample) {
  std::map<std::uint64_t, Visits> seen;
  std::vector<Batches> old = all_batches({.peers = 4});
  take(old, 3, seen);
  const RestOfEpoch rest =
      deal_rest_of_epoch(states_of(old, std::nullopt), deal_options({.peers = 5}));
  std::vector<std::size_t> sizes;
  for (const auto& part : rest.samples) {
    sizes.push_back(part.size());
  }
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), 858U - 3U * 4U * 8U);
  EXPECT_LE(*most - *least, 1U);
}

TEST(Resume, TheSamePeersGoOnWithTheSameBatches) {
  for (const LastBatch policy : {LastBatch::join_out, LastBatch::drop_last, LastBatch::pad}) {
    const Shape shape{.policy = policy};
    std::vector<Batches> straight = all_batches(shape);
    std::map<std::uint64_t, Visits> ignored;
    take(straight, 40, ignored);
    std::vector<Batches> again = resumed(states_of(straight, std::nullopt), shape);
    for (std::size_t rank = 0; rank < shape.peers; ++rank) {
      for (int step = 0; step < 60; ++step) {
        const auto expected = straight[rank].next();
        const auto found = again[rank].next();
        ASSERT_TRUE(std::ranges::equal(expected, found)) << "rank " << rank << " step " << step;
      }
    }
  }
}

TEST(Resume, TheSamePeersGoOnInsideADealtEpoch) {
  for (const LastBatch policy : {LastBatch::join_out, LastBatch::drop_last, LastBatch::pad}) {
    std::map<std::uint64_t, Visits> ignored;
    std::vector<Batches> first = all_batches({.peers = 4, .policy = policy});
    take(first, 5, ignored);
    const Shape shape{.peers = 3, .policy = policy};
    std::vector<Batches> straight = resumed(states_of(first, std::nullopt), shape);
    take(straight, 4, ignored);
    std::vector<Batches> again = resumed(states_of(straight, 0), shape);
    for (std::size_t rank = 0; rank < shape.peers; ++rank) {
      for (int step = 0; step < 60; ++step) {
        const auto expected = straight[rank].next();
        const auto found = again[rank].next();
        ASSERT_TRUE(std::ranges::equal(expected, found)) << "rank " << rank << " step " << step;
      }
    }
  }
}

TEST(Resume, ADroppedLastBatchIsNotBroughtBackWhenTheEpochIsOver) {
  const Shape shape{.policy = LastBatch::drop_last};  // 26 full batches at the smallest shard
  std::vector<Batches> old = all_batches(shape);
  std::map<std::uint64_t, Visits> ignored;
  take(old, 26, ignored);
  const RestOfEpoch rest = deal_rest_of_epoch(
      states_of(old, std::nullopt), deal_options({.peers = 2, .policy = LastBatch::drop_last}));
  EXPECT_EQ(rest.steps, 0U);
  EXPECT_THAT(rest.samples, Each(::testing::IsEmpty()));
}

TEST(Resume, ADroppedLastBatchRepeatsNothing) {
  std::map<std::uint64_t, Visits> seen;
  std::vector<Batches> old = all_batches({.policy = LastBatch::drop_last});
  take(old, 10, seen);
  const Shape shape{.peers = 3, .policy = LastBatch::drop_last};
  const RestOfEpoch rest = deal_rest_of_epoch(states_of(old, std::nullopt), deal_options(shape));
  std::vector<Batches> fresh = resumed(states_of(old, std::nullopt), shape);
  take(fresh, rest.steps, seen);
  // 858 - 320 = 538 are left: 179 or 180 a peer, 22 full batches of 8 each.
  EXPECT_EQ(rest.steps, 22U);
  EXPECT_EQ(seen[0].size(), 320U + 3U * 22U * 8U);
  for (const auto& [sample, count] : seen[0]) {
    EXPECT_EQ(count, 1U) << sample;
  }
}

TEST(Resume, TheDealIsAFunctionOfTheSeed) {
  std::map<std::uint64_t, Visits> ignored;
  std::vector<Batches> old = all_batches({});
  take(old, 3, ignored);
  const auto states = states_of(old, std::nullopt);
  DealOptions options = deal_options({.peers = 5});
  EXPECT_EQ(deal_rest_of_epoch(states, options).samples,
            deal_rest_of_epoch(states, options).samples);
  options.seed = 8;
  EXPECT_NE(deal_rest_of_epoch(states, options).samples,
            deal_rest_of_epoch(states, deal_options({.peers = 5})).samples);
}

TEST(Resume, StatesThatDoNotBelongTogetherAreRefused) {
  std::vector<DataState> states = states_of(all_batches({.peers = 2}), std::nullopt);
  states[1].epoch = 4;
  EXPECT_THROW(deal_rest_of_epoch(states, deal_options({.peers = 3})), DataError);
  states[1] = states[0];  // every sample twice
  EXPECT_THROW(deal_rest_of_epoch(states, deal_options({.peers = 3})), DataError);
}

TEST(Resume, OtherDataIsNoticed) {
  std::vector<Batches> batches = all_batches({.peers = 2});
  const std::vector<DataState> states =
      states_of(all_batches({.samples = 800, .peers = 2}), std::nullopt);
  EXPECT_THROW(restore(batches[0], states, 0, deal_options({.peers = 2})), DataError);
}

TEST(Resume, NewPeersStartFromTheMean) {
  std::vector<PeerState> old(3);
  old[0].parameters = {1.0F, 16777216.0F};
  old[1].parameters = {2.0F, 1.0F};  // 2^24 + 1 is not a float, so the sum must be wider
  old[2].parameters = {6.0F, 1.0F};
  EXPECT_EQ(mean_parameters(old), (std::vector<float>{3.0F, static_cast<float>(16777218.0 / 3.0)}));
  old.resize(1);
  EXPECT_EQ(mean_parameters(old), old[0].parameters);
}

TEST(Resume, TheLogSaysWhatHappens) {
  std::map<std::uint64_t, Visits> ignored;
  std::vector<Batches> old = all_batches({});
  take(old, 3, ignored);
  const RestOfEpoch rest =
      deal_rest_of_epoch(states_of(old, std::nullopt), deal_options({.peers = 6}));
  EXPECT_THAT(describe(rest, 4), HasSubstr("resumed 4 peers as 6"));
  EXPECT_THAT(describe(rest, 4), HasSubstr("762 samples of epoch 0"));
}

}  // namespace
}  // namespace starling::trainer
