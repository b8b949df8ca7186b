// One member of a group whose operations are timed: its memory and the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "starling/collective/collective.hpp"
#include "starling/collective/data_type.hpp"
#include "starling/collective/reduction.hpp"
#include "starling/collective/schedule.hpp"
#include "starling/core/buffer.hpp"
#include "starling/core/time.hpp"
#include "starling/peer/group.hpp"

namespace starling::trainer {

/// What all members call.
struct TimedCall {
  collective::Operation operation = collective::Operation::all_reduce;
  collective::DataType type = collective::DataType::f32;
  collective::Reduction reduction = collective::Reduction::sum;
  std::size_t root = 0;
  std::string algorithm = "auto";

  /// Of an all-to-all what one member sends to all, of the others the whole vector. Equal parts
  /// where all must be equal.
  std::size_t elements = 0;
  Duration timeout{};
  std::size_t message_bytes = 0;  ///< as in CollectiveOptions
};

/// Used by one activity at a time. @pre group and call outlive it
class TimedMember {
 public:
  TimedMember(const Group& group, const TimedCall& call, const collective::Selection& selection);

  /// @throws PeerLost
  void call();

  /// Waits until everybody is here. @throws PeerLost
  void meet();

 private:
  const Group& group_;
  const TimedCall& call_;
  collective::Collective collective_;
  Buffer input_;
  Buffer output_;
  std::uint64_t round_ = 0;

  [[nodiscard]] collective::CollectiveOptions next_options(const std::string& algorithm);
};

}  // namespace starling::trainer
