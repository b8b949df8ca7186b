// A schedule made ready to run: where in memory every block lies when it is read and written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// Memory a block can lie in. The input is never written; scratch and spare have room for the
/// blocks that are ever put there.
enum class Place : std::uint8_t { input, output, scratch, spare };

inline constexpr std::size_t kPlaces = 4;

/// What the plan does next with a block it has received.
enum class NextUse : std::uint8_t {
  none,  ///< it stays as it is
  lend,  ///< another rank reads it
  read,  ///< this rank adds to it
};

/// A run of blocks that are read at one place and written at another.
struct PlannedRun {
  Range blocks;
  Place from = Place::input;
  Place to = Place::output;  ///< of receives
  bool finishes = false;     ///< this addition completes the sum: scale a mean here
  NextUse next = NextUse::none;
};

/// One message.
struct PlannedTransfer {
  Action action = Action::send;
  std::uint32_t peer = 0;
  std::uint32_t settled = 0;  ///< sends of the lane that must be over before this one writes
  std::uint32_t first_run = 0;
  std::uint32_t runs = 0;
};

/// A lane with places. Round r has the transfers [begins[r], begins[r + 1]).
struct PlannedLane {
  std::vector<PlannedTransfer> transfers;
  std::vector<PlannedRun> runs;
  std::vector<std::size_t> begins{0};

  [[nodiscard]] std::size_t rounds() const noexcept { return begins.size() - 1; }

  [[nodiscard]] std::span<const PlannedTransfer> round(std::size_t index) const {
    return std::span(transfers).subspan(begins[index], begins[index + 1] - begins[index]);
  }

  [[nodiscard]] std::span<const PlannedRun> runs_of(const PlannedTransfer& transfer) const {
    return std::span(runs).subspan(transfer.first_run, transfer.runs);
  }
};

/// Rules: what is lent to a send is not written before that send is over; a block that is sent and
/// added to in the same round moves to other memory, so that partners need not wait for each other;
/// a first addition reads the input and writes elsewhere, so that nothing is copied beforehand; the
/// last write of a promised block goes to the output.
struct Plan {
  Request request;
  Schedule schedule;
  std::vector<PlannedLane> lanes;

  /// Promised blocks that never move: copied from the input to the output.
  std::vector<Range> kept;

  /// Runs of blocks by the place they are ever in; those of the input and the output are what is
  /// held and what is promised. A run of a transfer lies in one of them.
  std::array<std::vector<Range>, kPlaces> stays;
};

/// Cost: time and memory in the order of the transfers and their blocks.
Plan make_plan(const Request& request, Schedule schedule);

}  // namespace starling::collective
