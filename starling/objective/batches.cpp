#include "starling/objective/batches.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/random.hpp"

namespace starling::objective {

namespace {

std::uint64_t ceil_divide(std::size_t samples, std::size_t batch_size) {
  return samples / batch_size + (samples % batch_size == 0 ? 0 : 1);
}

void check_sizes(std::span<const std::size_t> shard_sizes,
                 std::size_t batch_size,
                 LastBatch policy) {
  if (batch_size == 0) {
    throw ConfigError("batches: batch size is 0, expected at least 1");
  }
  if (policy == LastBatch::join_out) {
    return;
  }
  const auto empty = std::find(shard_sizes.begin(), shard_sizes.end(), std::size_t{0});
  if (empty == shard_sizes.end()) {
    return;
  }
  throw ConfigError("batches: peer " + std::to_string(empty - shard_sizes.begin()) +
                    " has no samples; last-batch policy 'join-out' lets it average with weight 0, "
                    "the others need a sample at every peer");
}

}  // namespace

const char* to_string(LastBatch policy) noexcept {
  switch (policy) {
    case LastBatch::join_out:
      return "join-out";
    case LastBatch::drop_last:
      return "drop-last";
    case LastBatch::pad:
      return "pad";
  }
  return "unknown";
}

std::uint64_t steps_per_epoch(std::span<const std::size_t> shard_sizes,
                              std::size_t batch_size,
                              LastBatch policy) {
  ensure(!shard_sizes.empty(), "an epoch needs at least one peer");
  check_sizes(shard_sizes, batch_size, policy);
  const auto [smallest, largest] = std::minmax_element(shard_sizes.begin(), shard_sizes.end());
  const std::uint64_t steps =
      policy == LastBatch::drop_last ? *smallest / batch_size : ceil_divide(*largest, batch_size);
  if (steps > 0) {
    return steps;
  }
  throw ConfigError("batches: an epoch has no steps: the smallest shard has " +
                    std::to_string(*smallest) + " samples, the largest " +
                    std::to_string(*largest) + ", a batch " + std::to_string(batch_size) +
                    "; take a smaller batch or another last-batch policy");
}

Batches::Batches(std::vector<std::uint32_t> shard, const Options& options)
    : shard_(std::move(shard)), options_(options) {
  ensure(options.batch_size >= 1, "a batch has at least one sample");
  ensure(options.steps_per_epoch >= 1, "an epoch has at least one step");
  ensure(!shard_.empty() || options.policy == LastBatch::join_out,
         "only join_out allows a peer without samples",
         options.peer);
  begin_epoch(0);
}

std::span<const std::uint32_t> Batches::next() {
  if (position_.step == steps_this_epoch_) {
    begin_epoch(position_.epoch + 1);
  }
  const std::size_t begin = taken();
  ++position_.step;
  const std::size_t size = std::min(options_.batch_size, order_.size() - begin);
  const auto batch = std::span<const std::uint32_t>(order_).subspan(begin, size);
  const bool pad = options_.policy == LastBatch::pad && size < options_.batch_size;
  return pad ? fill(batch) : batch;
}

std::span<const std::uint32_t> Batches::fill(std::span<const std::uint32_t> batch) {
  padded_.assign(batch.begin(), batch.end());
  // A rest of an epoch may leave nothing to a peer; it then fills up from its shard.
  const std::vector<std::uint32_t>& source = order_.empty() ? shard_ : order_;
  // Where the last batch stopped in its endless walk through the source.
  std::size_t from =
      (position_.step - 1 - first_step_of_order_) * options_.batch_size + batch.size();
  while (padded_.size() < options_.batch_size) {
    padded_.push_back(source[from++ % source.size()]);
  }
  return padded_;
}

void Batches::set_position(Position position) {
  ensure(position.step <= options_.steps_per_epoch,
         "a position lies within its epoch",
         position.step,
         options_.steps_per_epoch);
  begin_epoch(position.epoch);
  position_.step = position.step;
}

void Batches::replace_rest_of_epoch(std::vector<std::uint32_t> rest, std::uint64_t steps_left) {
  order_ = std::move(rest);
  first_step_of_order_ = position_.step;
  steps_this_epoch_ = position_.step + steps_left;
}

std::size_t Batches::taken() const noexcept {
  const std::uint64_t steps = position_.step - first_step_of_order_;
  return std::min<std::uint64_t>(steps * options_.batch_size, order_.size());
}

void Batches::begin_epoch(std::uint64_t epoch) {
  position_ = {epoch, 0};
  steps_this_epoch_ = options_.steps_per_epoch;
  first_step_of_order_ = 0;
  order_ = shard_;
  Random random(stream_key(options_.seed, stream_key("order of samples")),
                stream_key(options_.peer, epoch));
  random.shuffle(std::span<std::uint32_t>(order_));
}

}  // namespace starling::objective
