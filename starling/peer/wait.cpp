#include "starling/peer/wait.hpp"

namespace starling {

WaitEnd wait_for(const Awaited& awaited,
                 Deadline deadline,
                 const Clock& clock,
                 const std::stop_token& stop,
                 FunctionRef<bool()> sleep) {
  for (;;) {
    // Asked first: what was sent before the end is at hand by now.
    const bool over = awaited.hopeless();
    if (awaited.ready()) {
      return WaitEnd::ready;
    }
    if (over) {
      return WaitEnd::hopeless;
    }
    if (stop.stop_requested()) {
      return WaitEnd::cancelled;
    }
    if (clock.now() >= deadline.at) {
      return WaitEnd::deadline;
    }
    if (!sleep()) {
      return WaitEnd::stalled;
    }
  }
}

Failure gave_up(WaitEnd how, PeerId other, const std::string& awaited, Duration waited) {
  Failure failure;
  failure.kind = how == WaitEnd::cancelled ? FailureKind::cancelled : FailureKind::deadline;
  failure.peer = other;
  failure.culprit = other;
  failure.what = how == WaitEnd::cancelled ? "told to stop, " + awaited : awaited;
  if (how == WaitEnd::stalled) {
    failure.what += ", and none can come: nothing can run, every peer waits";
  }
  failure.waited = waited;
  return failure;
}

Failure no_room(WaitEnd how, PeerId to, Tag tag, Duration waited) {
  return gave_up(how, to, "no room to send " + to_string(tag) + ": it does not read", waited);
}

Failure not_taken(WaitEnd how, PeerId to, Tag tag, Duration waited) {
  return gave_up(how, to, "it has not taken what was lent as " + to_string(tag), waited);
}

Failure no_message(WaitEnd how, PeerId self, Source from, Tag tag, Duration waited) {
  const std::string who = from ? "" : " from anyone";
  return gave_up(how, from.value_or(self), "no message of " + to_string(tag) + who, waited);
}

Failure unfulfilled(WaitEnd how, PeerId self, std::span<const Hope> hopes, Duration waited) {
  const Hope& first = hopes.front();
  return first.send == nullptr ? no_message(how, self, first.other, first.tag, waited)
                               : not_taken(how, first.other, first.tag, waited);
}

}  // namespace starling
