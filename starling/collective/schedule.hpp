// An algorithm as data: which blocks go to whom in which round, and whether they are copied or
// added.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "starling/core/range.hpp"

namespace starling::collective {

/// What a group does together. A barrier gathers n empty blocks: who has them all knows that all
/// have come.
enum class Operation : std::uint8_t {
  all_reduce,
  broadcast,
  reduce,
  all_gather,
  reduce_scatter,
  barrier,
};

inline constexpr std::size_t kOperations = 6;

const char* to_string(Operation operation) noexcept;

/// For whom a schedule is made.
struct Request {
  Operation operation = Operation::all_reduce;
  std::size_t peers = 1;
  std::size_t rank = 0;
  std::size_t root = 0;  ///< of broadcast and reduce
};

/// True if `operation` forms sums; the others only move data.
[[nodiscard]] constexpr bool reduces(Operation operation) {
  return operation == Operation::all_reduce || operation == Operation::reduce ||
         operation == Operation::reduce_scatter;
}

/// The blocks a rank has data for at the start, and those it must hold the result of at the end,
/// when the vector is cut into `blocks`.
Range held_blocks(const Request& request, std::size_t blocks);
Range promised_blocks(const Request& request, std::size_t blocks);

enum class Action : std::uint8_t {
  send,  ///< to `peer`, as the blocks are when the round begins
  copy,  ///< receive from `peer`, replacing what is here
  add,   ///< receive from `peer`, reducing into what is here
};

/// One message of one rank.
struct Transfer {
  Action action = Action::send;
  std::uint32_t peer = 0;
  std::uint32_t first_run = 0;  ///< where its runs of blocks begin in the lane
  std::uint32_t runs = 0;
};

/// The rounds of one independent stream of messages. Both ends of a message list it in the same
/// round of the same lane with the same blocks in the same order.
class Lane {
 public:
  /// Opens the next round; transfers go into the last one opened. A round may stay empty.
  void open_round();

  /// Appends a message; empty runs are left out. @pre a round is open
  void transfer(Action action, std::size_t peer, std::span<const Range> blocks);
  void transfer(Action action, std::size_t peer, std::initializer_list<Range> blocks);

  [[nodiscard]] std::size_t rounds() const noexcept { return round_begins_.size(); }

  [[nodiscard]] std::span<const Transfer> round(std::size_t index) const;

  /// All transfers, round after round.
  [[nodiscard]] std::span<const Transfer> transfers() const noexcept { return transfers_; }

  [[nodiscard]] std::span<const Range> blocks(const Transfer& transfer) const;

  void append(const Lane& later);

 private:
  std::vector<Transfer> transfers_;
  std::vector<Range> runs_;
  std::vector<std::size_t> round_begins_;
};

/// What one rank does. Lanes touch disjoint blocks and go forward independently of each other;
/// within a round of a lane all sends come first.
struct Schedule {
  std::size_t peers = 1;
  std::size_t rank = 0;
  std::size_t blocks = 1;  ///< the vector is cut into this many near-equal blocks, see chunk()
  std::vector<Lane> lanes = std::vector<Lane>(1);

  /// Blocks whose last addition completes their sum here: where a mean is scaled. In a schedule
  /// that only copies: the blocks this rank begins with.
  std::vector<Range> owned;
};

/// An empty schedule with one lane. @pre rank < peers
Schedule make_schedule(std::size_t peers, std::size_t rank, std::size_t blocks);

/// The elements of a run of blocks in a vector of `elements`.
Range elements_of(const Schedule& schedule, Range run, std::size_t elements);

/// Time run backwards: rounds in reverse, sends and receives swapped, copies made additions. An
/// all-gather in which every block reaches every rank once becomes an exact reduce-scatter, a
/// broadcast a reduce.
/// @pre the schedule adds nothing
Schedule reversed(const Schedule& schedule);

/// `first`, then `second`, lane by lane. @pre equal peers, rank, blocks, lanes and owned blocks
Schedule joined(Schedule first, const Schedule& second);

/// Calls visit(block) for every block of a transfer, in order.
template <class Visit>
void for_each_block(const Lane& lane, const Transfer& transfer, Visit visit) {
  for (const Range& run : lane.blocks(transfer)) {
    for (std::size_t block = run.begin; block < run.end; ++block) {
      visit(block);
    }
  }
}

/// Blocks first, first+1, .. (count of them) of `total`, going round at the end.
std::vector<Range> cyclic_run(std::size_t first, std::size_t count, std::size_t total);

/// Smallest L with 2^L >= n, and largest L with 2^L <= n. @pre n >= 1
constexpr std::size_t ceil_log2(std::size_t n) {
  return static_cast<std::size_t>(std::bit_width(n - 1));
}

constexpr std::size_t floor_log2(std::size_t n) {
  return static_cast<std::size_t>(std::bit_width(n)) - 1;
}

}  // namespace starling::collective
