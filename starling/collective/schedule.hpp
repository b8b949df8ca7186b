// An algorithm as data: which blocks go to whom in which round, and whether they are copied or
// added.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "starling/collective/cut.hpp"
#include "starling/core/range.hpp"

namespace starling::collective {

/// What a group does together. A barrier gathers n empty blocks: who has them all knows that all
/// have come. The vector of an all-to-all is what rank 0 sends to everybody, then what rank 1 does,
/// and so on: n * n parts, part s * n + d from s to d.
enum class Operation : std::uint8_t {
  all_reduce,
  broadcast,
  reduce,
  all_gather,
  reduce_scatter,
  barrier,
  scatter,
  gather,
  all_to_all,
};

inline constexpr std::size_t kOperations = 9;

const char* to_string(Operation operation) noexcept;

/// Where a multiported torus algorithm has the sub-blocks of a rank's part.
enum class Layout : std::uint8_t {
  relaxed,  ///< anywhere, messages stay contiguous; one more round brings them where they belong
  split_blocks,  ///< color c has the c-th piece of every part; messages are packed
};

/// How large the slices are that the colors of a torus carry.
enum class ColorWeights : std::uint8_t {
  equal,   ///< near-equal
  solved,  ///< such that the links of long and short axes carry the same
};

const char* to_string(ColorWeights weights) noexcept;

/// For whom a schedule is made, and which one.
struct Request {
  Operation operation = Operation::all_reduce;
  std::size_t peers = 1;
  std::size_t rank = 0;
  std::size_t root = 0;      ///< of those that have one
  std::size_t elements = 0;  ///< length of the whole vector; most schedules fit any and do not look

  /// Lengths of the parts of the ranks (all-to-all: n * n of them); empty: near-equal ones.
  std::vector<std::size_t> parts;

  // Parameters of some algorithms.
  std::vector<std::size_t> dims;  ///< extents of a torus, a grid or of levels; empty: {peers}
  std::size_t colors = 0;         ///< of a torus: slices moved at once; 0: two a dimension
  Layout layout = Layout::relaxed;
  ColorWeights weights = ColorWeights::equal;
  std::size_t segment = 0;  ///< elements in a message of a pipeline; 0: no pipeline

  friend bool operator==(const Request&, const Request&) = default;
};

/// True if `operation` forms sums; the others only move data.
[[nodiscard]] constexpr bool reduces(Operation operation) {
  return operation == Operation::all_reduce || operation == Operation::reduce ||
         operation == Operation::reduce_scatter;
}

/// True if every rank has a part of the vector for its own at the start or at the end.
[[nodiscard]] constexpr bool has_parts(Operation operation) {
  return operation == Operation::all_gather || operation == Operation::reduce_scatter ||
         operation == Operation::scatter || operation == Operation::gather ||
         operation == Operation::barrier || operation == Operation::all_to_all;
}

/// How the operation's vector is cut into parts. @pre has_parts(request.operation)
Cut parts_of(const Request& request);

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

  /// The rounds of `later` after these.
  void append(const Lane& later);

  /// Rank i becomes members[i].
  void rename_peers(std::span<const std::size_t> members);

 private:
  std::vector<Transfer> transfers_;
  std::vector<Range> runs_;
  std::vector<std::size_t> round_begins_;
};

/// Sends of the last few rounds may be under way while the next one runs; older ones are waited
/// for, so that what the channel holds stays bounded. More slack than a round of a synchronous
/// execution, so whatever ends there ends here.
inline constexpr std::size_t kRoundsInFlight = 4;

/// What one rank does. Lanes touch disjoint blocks and go forward independently of each other;
/// within a round of a lane all sends come first.
struct Schedule {
  std::size_t peers = 1;
  std::size_t rank = 0;
  Cut cut = Cut::equal(1);
  std::vector<Lane> lanes = std::vector<Lane>(1);

  /// What a lane has sent in earlier rounds must have been read before it opens one. For lanes that
  /// use the links of a rank in turn: one that runs ahead, be it by the time of an element, would
  /// share a link with its own earlier message or with another lane and hold up both, and those
  /// who wait for them would do so all the more.
  bool in_step = false;

  /// Blocks whose last addition completes their sum here: where a mean is scaled. In a schedule
  /// that only copies: the blocks this rank begins with.
  std::vector<Range> owned;

  /// Part p of the vector is made of the blocks [parts[p], parts[p + 1]). Empty: of block p.
  std::vector<std::size_t> parts;

  [[nodiscard]] std::size_t blocks() const noexcept { return cut.blocks(); }

  /// The blocks of a part.
  [[nodiscard]] Range part(std::size_t index) const {
    return parts.empty() ? Range{index, index + 1} : Range{parts[index], parts[index + 1]};
  }
};

/// What a rank has sent in so many rounds of the lane must have been read before it opens `round`:
/// all, if the schedule goes in step, or if it received nothing in the last one. So the sends of a
/// root go out one after the other and not side by side, which would hold up the first, and all who
/// wait for it.
std::size_t rounds_to_be_over(const Schedule& schedule, std::size_t lane, std::size_t round);

/// An empty schedule with one lane and equal blocks. @pre rank < peers
Schedule make_schedule(std::size_t peers, std::size_t rank, std::size_t blocks);

/// An empty schedule with one lane and a block for every part of the vector, or for each of
/// `pieces` near-equal pieces of it. Parts are those of the request; near-equal ones, one a rank,
/// for an operation that knows none.
Schedule schedule_of_parts(const Request& request, std::size_t pieces = 1);

/// An empty schedule with a lane for each of `regions` near-equal regions of the vector, cut in
/// `blocks` near-equal blocks: lane c moves the blocks [c * blocks, (c + 1) * blocks). The lanes go
/// in step.
Schedule schedule_of_regions(const Request& request, std::size_t regions, std::size_t blocks);

/// The runs of blocks a rank has data for at the start, and those it must hold the result of at the
/// end.
std::vector<Range> held_blocks(const Request& request, const Schedule& schedule);
std::vector<Range> promised_blocks(const Request& request, const Schedule& schedule);

/// What becomes of a copy when time runs backwards.
enum class Backwards : std::uint8_t {
  adds,    ///< an all-gather becomes a reduce-scatter, a broadcast a reduce
  copies,  ///< a scatter becomes a gather
};

/// Time run backwards: rounds in reverse, sends and receives swapped. An all-gather in which every
/// block reaches every rank once becomes an exact reduce-scatter.
/// @pre the schedule adds nothing
Schedule reversed(const Schedule& schedule, Backwards copies_become = Backwards::adds);

/// `first`, then `second`, lane by lane; owned blocks are those of the first one.
/// @pre equal peers, rank, cuts and numbers of lanes
Schedule joined(Schedule first, const Schedule& second);

/// `schedule`, made for a group of its own, for its members among `peers`: its rank i is
/// members[i] here.
Schedule embedded(const Schedule& schedule,
                  std::size_t peers,
                  std::span<const std::size_t> members);

/// As many rounds and lanes as `pattern`, in which `rank` does nothing.
Schedule idle_as(const Schedule& pattern, std::size_t rank);

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
