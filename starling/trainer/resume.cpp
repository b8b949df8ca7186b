#include "starling/trainer/resume.hpp"

#include <algorithm>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/random.hpp"
#include "starling/core/range.hpp"
#include "starling/core/span_math.hpp"

namespace starling::trainer {

namespace {

using objective::LastBatch;

/// Steps in which peers with so many samples each visit them; 0 if there are none to do.
std::uint64_t steps_for(std::span<const std::size_t> sizes, const DealOptions& options) {
  const auto [smallest, largest] = std::minmax_element(sizes.begin(), sizes.end());
  if (options.policy == LastBatch::drop_last) {
    return *smallest / options.batch_size;
  }
  return *largest / options.batch_size + (*largest % options.batch_size == 0 ? 0 : 1);
}

std::size_t left_of(const DataState& state) {
  return state.order.size() - static_cast<std::size_t>(state.taken);
}

/// Samples the old peers had before them, in rank order; nothing if their epoch was over.
std::vector<std::uint32_t> not_visited(std::span<const DataState> old, const DealOptions& options) {
  std::vector<std::size_t> sizes;
  for (const DataState& state : old) {
    ensure(state.taken <= state.order.size(), "no more is taken than there is", state.taken);
    if (state.epoch != old.front().epoch) {
      throw DataError("checkpoint: its peers stand in epochs " + std::to_string(old.front().epoch) +
                      " and " + std::to_string(state.epoch) +
                      "; only peers in one epoch can be resumed with another number of peers");
    }
    sizes.push_back(left_of(state));
  }
  std::vector<std::uint32_t> samples;
  if (steps_for(sizes, options) == 0) {
    return samples;
  }
  for (const DataState& state : old) {
    samples.insert(samples.end(),
                   state.order.end() - static_cast<std::ptrdiff_t>(left_of(state)),
                   state.order.end());
  }
  return samples;
}

void refuse_duplicates(std::vector<std::uint32_t> samples) {
  std::sort(samples.begin(), samples.end());
  const auto twice = std::adjacent_find(samples.begin(), samples.end());
  if (twice == samples.end()) {
    return;
  }
  throw DataError("checkpoint: sample " + std::to_string(*twice) +
                  " is left to visit twice in one epoch; the files are not from one run");
}

}  // namespace

RestOfEpoch deal_rest_of_epoch(std::span<const DataState> old, const DealOptions& options) {
  ensure(!old.empty() && options.peers >= 1 && options.batch_size >= 1,
         "peers, old and new, and a batch size",
         old.size(),
         options.peers,
         options.batch_size);
  std::vector<std::uint32_t> samples = not_visited(old, options);
  refuse_duplicates(samples);
  RestOfEpoch rest;
  rest.epoch = old.front().epoch;
  Random random(stream_key(options.seed, stream_key("rest of an epoch")),
                stream_key(rest.epoch, options.peers));
  random.shuffle(std::span<std::uint32_t>(samples));
  std::vector<std::size_t> sizes;
  for (std::size_t rank = 0; rank < options.peers; ++rank) {
    const auto dealt =
        part(std::span<const std::uint32_t>(samples), chunk(samples.size(), options.peers, rank));
    rest.samples.emplace_back(dealt.begin(), dealt.end());
    sizes.push_back(dealt.size());
  }
  rest.steps = steps_for(sizes, options);
  return rest;
}

void visit_rest(objective::Batches& batches, const RestOfEpoch& rest, std::size_t rank) {
  ensure(rank < rest.samples.size(), "a part was dealt to this rank", rank, rest.samples.size());
  batches.set_position({rest.epoch, 0});
  batches.replace_rest_of_epoch(rest.samples[rank], rest.steps);
}

void restore(objective::Batches& batches,
             std::span<const DataState> old,
             std::size_t rank,
             const DealOptions& options) {
  ensure(old.size() == options.peers && rank < old.size(),
         "as many peers as before",
         old.size(),
         options.peers,
         rank);
  const DataState& own = old[rank];
  if (own.dealt) {
    std::vector<std::size_t> sizes;
    for (const DataState& state : old) {
      sizes.push_back(state.order.size());
    }
    batches.set_position({own.epoch, 0});
    batches.replace_rest_of_epoch(own.order, steps_for(sizes, options));
    for (std::uint64_t step = 0; step < own.step; ++step) {
      batches.next();
    }
  } else {
    batches.set_position({own.epoch, own.step});
  }
  if (!std::ranges::equal(batches.order(), own.order) || batches.taken() != own.taken) {
    throw DataError("checkpoint: peer " + std::to_string(rank) +
                    " visited other samples in epoch " + std::to_string(own.epoch) +
                    " than it would now; resume with the data, partition and seed of the run");
  }
}

DataState data_state(const objective::Batches& batches, std::optional<std::uint64_t> dealt_epoch) {
  DataState state;
  state.epoch = batches.position().epoch;
  state.step = batches.position().step;
  state.order.assign(batches.order().begin(), batches.order().end());
  state.taken = batches.taken();
  state.dealt = dealt_epoch == state.epoch;
  return state;
}

std::vector<float> mean_parameters(std::span<const PeerState> old) {
  ensure(!old.empty(), "a mean needs a peer");
  std::vector<std::span<const float>> models;
  for (const PeerState& state : old) {
    models.emplace_back(state.parameters);
  }
  std::vector<float> result(old.front().parameters.size());
  mean(models, result);
  return result;
}

std::string describe(const RestOfEpoch& rest, std::size_t old_peers) {
  std::size_t samples = 0;
  for (const auto& part : rest.samples) {
    samples += part.size();
  }
  return "resumed " + std::to_string(old_peers) + " peers as " +
         std::to_string(rest.samples.size()) + ": every peer starts from their mean model; " +
         std::to_string(samples) + " samples of epoch " + std::to_string(rest.epoch) +
         " had not been visited and are dealt out, " + std::to_string(rest.steps) +
         " steps are left of it";
}

}  // namespace starling::trainer
