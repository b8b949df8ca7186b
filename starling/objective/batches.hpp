// The order in which one peer visits its samples, batch by batch, epoch by epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starling::objective {

/// What happens to the last, incomplete batch of an epoch, and to peers with fewer batches than
/// others.
enum class LastBatch : std::uint8_t {
  join_out,   ///< short batches are used; peers without a batch take no step, and average on
  drop_last,  ///< every peer does as many full batches as the smallest shard allows
  pad,        ///< batches are filled with samples from the start of the peer's own epoch, again and
              ///< again if it is much shorter than the longest
};

/// As on the command line: "join-out".
const char* to_string(LastBatch policy) noexcept;

/// Steps in one epoch, the same at every peer. @throws ConfigError if there would be none, or if a
/// shard is empty and the policy is not join_out
std::uint64_t steps_per_epoch(std::span<const std::size_t> shard_sizes,
                              std::size_t batch_size,
                              LastBatch policy);

/// Batches of one peer. Every epoch visits the shard in a fresh order drawn from (seed, peer,
/// epoch), so a position (epoch, step) is the whole state.
class Batches {
 public:
  struct Options {
    std::size_t batch_size = 32;
    LastBatch policy = LastBatch::join_out;
    std::uint64_t steps_per_epoch = 1;
    std::uint64_t seed = 1;
    std::uint64_t peer = 0;
  };

  struct Position {
    std::uint64_t epoch = 0;
    std::uint64_t step = 0;  ///< batches of this epoch already taken

    friend bool operator==(const Position&, const Position&) = default;
  };

  Batches(std::vector<std::uint32_t> shard, const Options& options);

  /// The next batch; empty if this peer has none in this step. Valid until the next call.
  std::span<const std::uint32_t> next();

  /// Behind the last batch of epoch e this is (e, steps of e), not (e + 1, 0): both continue alike.
  [[nodiscard]] Position position() const noexcept { return position_; }

  /// Goes to a place in the shard's own order; forgets replace_rest_of_epoch().
  /// @pre position.step <= Options::steps_per_epoch
  void set_position(Position position);

  /// For the rest of the current epoch, visit `rest` (in that order) instead of what is left of the
  /// shard: a run resumed with another number of peers deals out what the epoch has not seen yet.
  /// `steps_left` is the number of steps until the epoch ends, the same at every peer.
  void replace_rest_of_epoch(std::vector<std::uint32_t> rest, std::uint64_t steps_left);

  /// The samples of the current epoch in visiting order, and how many of them have been taken.
  [[nodiscard]] std::span<const std::uint32_t> order() const noexcept { return order_; }

  [[nodiscard]] std::size_t taken() const noexcept;

  /// Steps until the current epoch ends. Together with what order() has not taken yet, and the
  /// epoch's number, this is the whole state even after replace_rest_of_epoch().
  [[nodiscard]] std::uint64_t steps_left() const noexcept {
    return steps_this_epoch_ - position_.step;
  }

 private:
  std::vector<std::uint32_t> shard_;
  Options options_;
  Position position_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> padded_;
  std::uint64_t steps_this_epoch_ = 1;
  std::uint64_t first_step_of_order_ = 0;  // the step order_ begins with

  void begin_epoch(std::uint64_t epoch);
  std::span<const std::uint32_t> fill(std::span<const std::uint32_t> batch);
};

}  // namespace starling::objective
