// How a group ends an operation that cannot be finished: nobody waits in vain, everybody hears one
// cause.
//
// A member that fails sends, in place of what it still owes, a note with the cause, also to those
// it owes nothing: they may be at the group's next operation already. It takes what is still sent
// to it, in the order of its schedule. So a failure runs through the schedule as the data would
// have, and those that lend memory get it back. If members disagree about the operation itself
// (other size, other algorithm), all tell all what they were called with, and the smaller side is
// the culprit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "starling/collective/schedule.hpp"
#include "starling/core/failure.hpp"
#include "starling/core/time.hpp"
#include "starling/peer/group.hpp"

namespace starling::collective {

/// Bit of Stamp::operation that no running operation sets: the message is a note, not data.
inline constexpr std::uint32_t kAbandoned = 0x80000000U;

/// What one member had left to do when it failed.
struct Remaining {
  struct Message {
    std::uint16_t lane = 0;
    std::uint32_t peer = 0;  ///< rank
    Action action = Action::send;
  };

  std::uint16_t first_lane = 0;  ///< every member has it, whatever it was called for
  std::uint16_t failed_lane = 0;
  std::uint16_t inquiries = 0;  ///< on which members say what they were called with
  std::uint64_t round = 0;
  Deadline deadline{};
  std::string operation;           ///< "all-reduce by ring of 12 elements (sum) in round 3"
  std::vector<Message> transfers;  ///< in order, the one that failed included
};

/// Until when an operation may wait for data: a little of its time is kept for its end.
Deadline working_deadline(const Group& group, Deadline deadline);

/// Tells the others and returns the failure to throw.
Failure abandon(const Group& group, const Remaining& remaining, const Failure& failure);

}  // namespace starling::collective
