#include "starling/peer/activity_body.hpp"

#include <utility>

#include "starling/core/error.hpp"

namespace starling {

ActivityBody::ActivityBody(std::string name, std::function<void(Peer&, std::stop_token)> work)
    : name_(std::move(name)), work_(std::move(work)) {}

void ActivityBody::run(Peer& self) noexcept {
  try {
    work_(self, stop_.get_token());
  } catch (...) {
    error_ = std::current_exception();
  }
}

void ActivityBody::rethrow() {
  if (error_) {
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
}

void ActivityBody::report_to(Peer& parent) const noexcept {
  if (error_) {
    parent.emit_if_possible(
        Note{Severity::error, "activity '" + name_ + "' ended: " + words_of(error_)});
  }
}

Failure ActivityBody::not_ended(WaitEnd how, PeerId parent, Duration waited) const {
  return gave_up(how, parent, "activity '" + name_ + "' has not ended", waited);
}

}  // namespace starling
