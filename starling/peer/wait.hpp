// How a wait goes and how it ends: the same in every world, which brings only its way to sleep.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>

#include "starling/core/failure.hpp"
#include "starling/core/function_ref.hpp"
#include "starling/peer/clock.hpp"
#include "starling/peer/message.hpp"
#include "starling/peer/peer.hpp"

namespace starling {

enum class WaitEnd : std::uint8_t {
  ready,      ///< what was awaited is there
  hopeless,   ///< it cannot come: whoever would bring it is gone
  cancelled,  ///< told to stop
  deadline,
  stalled,  ///< it cannot come: nothing can run any more (a world may know)
};

/// What ends a wait before its time.
struct Awaited {
  FunctionRef<bool()> ready;
  FunctionRef<bool()> hopeless;
};

/// For waits that nothing makes hopeless.
inline constexpr auto kNever = [] { return false; };

/// Looks, and sleeps until there is news, until one of the ends has come.
/// @param sleep returns when there is news, at the deadline or for no reason; false if there can
/// be no news any more
WaitEnd wait_for(const Awaited& awaited,
                 Deadline deadline,
                 const Clock& clock,
                 const std::stop_token& stop,
                 FunctionRef<bool()> sleep);

// The failures of waits that were given up: by deadline, stop or stall.

/// `awaited` is a clause: "no message of user/0".
Failure gave_up(WaitEnd how, PeerId other, const std::string& awaited, Duration waited);

/// The queue to `to` stayed full.
Failure no_room(WaitEnd how, PeerId to, Tag tag, Duration waited);

/// The message of `self` that was lent to the channel stayed where it was.
Failure not_taken(WaitEnd how, PeerId to, Tag tag, Duration waited);

/// None of several things came; the first of them is blamed.
Failure unfulfilled(WaitEnd how, PeerId self, std::span<const Hope> hopes, Duration waited);

/// No message came from `from`.
Failure no_message(WaitEnd how, PeerId self, Source from, Tag tag, Duration waited);

}  // namespace starling
