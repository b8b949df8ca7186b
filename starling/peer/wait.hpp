// How a wait goes and how it ends: the same in every world, which brings only its way to sleep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

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

/// The first of several things hoped for.
/// @tparam HasCome bool(const Hope&): whether it is there
/// @tparam Gone std::optional<PeerId>(const Hope&): who would bring its message, but is gone. Not
/// asked of sends: one that is lost is over, too, and has come
template <class HasCome, class Gone>
class FirstOf {
 public:
  FirstOf(std::span<const Hope> hopes, HasCome has_come, Gone gone)
      : hopes_(hopes), has_come_(std::move(has_come)), gone_(std::move(gone)) {}

  /// Whether any has come, and with index() which is the first.
  [[nodiscard]] bool ready() {
    index_ = 0;
    while (index_ < hopes_.size() && !has_come_(hopes_[index_])) {
      ++index_;
    }
    return index_ < hopes_.size();
  }

  /// Whether a message cannot come any more, and with culprit() whose the first such is.
  [[nodiscard]] bool hopeless() {
    for (const Hope& hope : hopes_) {
      if (hope.send == nullptr) {
        if (const std::optional<PeerId> gone = gone_(hope)) {
          culprit_ = *gone;
          return true;
        }
      }
    }
    return false;
  }

  /// `wait`(awaited) waits as its world does. Any message that is missing is reason enough to end.
  template <class Wait>
  WaitEnd wait(Wait wait) {
    const auto is_ready = [this] { return ready(); };
    const auto is_hopeless = [this] { return hopeless(); };
    return wait(Awaited{is_ready, is_hopeless});
  }

  /// @pre ready() was true when it was last asked
  [[nodiscard]] std::size_t index() const noexcept { return index_; }

  /// @pre hopeless() was true
  [[nodiscard]] PeerId culprit() const noexcept { return culprit_; }

 private:
  std::span<const Hope> hopes_;
  HasCome has_come_;
  Gone gone_;
  std::size_t index_ = 0;
  PeerId culprit_;
};

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
