// Runs a plan on a group, over any transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "starling/collective/collectives.hpp"
#include "starling/collective/memory.hpp"
#include "starling/collective/plan.hpp"
#include "starling/core/buffer.hpp"
#include "starling/peer/group.hpp"

namespace starling::collective {

/// What all members must agree on for one call, and until when.
struct Terms {
  std::string_view algorithm;
  Reduction reduction = Reduction::sum;
  std::uint64_t round = 0;
  Deadline deadline{};
};

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
  struct Posted {
    Buffer packed;  // outlives the send that reads it
    Pending pending;
  };

  /// How far a lane has come.
  struct Progress {
    std::size_t next = 0;        // transfer that is not done yet
    std::vector<Posted> posted;  // by number of the send
    std::size_t settled = 0;     // sends that are over
  };

  class Call;

  const Group* group_;
  std::vector<Progress> progress_;  // by lane
};

}  // namespace starling::collective
