// Runs a plan on a group, over any transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "starling/collective/memory.hpp"
#include "starling/collective/plan.hpp"
#include "starling/collective/reduction.hpp"
#include "starling/core/buffer.hpp"
#include "starling/core/time.hpp"
#include "starling/peer/group.hpp"

namespace starling::collective {

/// What all members must agree on for one call, and until when.
struct Terms {
  std::string_view algorithm;
  Reduction reduction = Reduction::sum;
  std::uint64_t round = 0;
  Deadline deadline{};
  std::size_t message_bytes = 0;  ///< longer messages travel in parts; 0: kMessageBytesMax
  std::size_t slot = 0;           ///< operations at the same time have different ones
};

/// No single message is longer.
inline constexpr std::size_t kMessageBytesMax = std::size_t{1} << 30U;

/// Operations of one group that may be under way at the same time, and the lanes of each.
inline constexpr std::size_t kSlots = 16;
inline constexpr std::size_t kLanesOfSlot = kLanesMax / kSlots;

/// Keeps its working memory from call to call, so that a steady state allocates nothing but pooled
/// buffers. Every wait ends at the deadline. All members of a failed call get PeerLost with the
/// same cause, and nobody is left waiting for one that has given up; see abandon.hpp.
class Executor {
 public:
  /// @pre group outlives this
  explicit Executor(const Group& group) : group_(&group) {}

  /// On failure the input is as it was and the output unspecified. @throws PeerLost
  void run(const Plan& plan, const Operands& operands, const Terms& terms);

 private:
  /// One message of a send, which reads memory of the call or the packed copy.
  struct Posted {
    Buffer packed;
    Pending pending;
    std::size_t to = 0;
  };

  /// How far a lane has come.
  struct Progress {
    std::size_t round = 0;                 // that it is in
    std::size_t next = 0;                  // transfer that is not done yet
    std::size_t received = 0;              // messages of it that are
    std::size_t settled = 0;               // messages sent that are over
    std::vector<Posted> posted;            // messages sent, in order
    std::vector<std::size_t> posted_upto;  // by number of the send: messages up to its end
  };

  class Call;

  const Group* group_;
  Memory memory_;
  std::vector<Progress> progress_;  // by lane
  std::vector<Hope> hopes_;
  std::vector<std::size_t> hoping_;  // lanes of the hopes
};

}  // namespace starling::collective
