#include "starling/simulation/sim_activity.hpp"

#include <utility>

#include "starling/core/error.hpp"

namespace starling::simulation {

SimActivity::SimActivity(SimPeer& parent,
                         std::string name,
                         std::function<void(Peer&, std::stop_token)> work)
    : parent_(parent),
      name_(std::move(name)),
      work_(std::move(work)),
      self_(parent, stop_.get_token(), task_) {
  parent_.scheduler().start(
      task_, parent_.task().host(), to_string(parent_.id()) + "/" + name_, [this] { run(); });
}

SimActivity::~SimActivity() {
  request_stop();
  while (!task_.ended()) {
    parent_.scheduler().await_regardless(parent_.task());
  }
  collect();
  if (error_) {
    parent_.emit_if_possible(
        Note{Severity::error, "activity '" + name_ + "' ended: " + words_of(error_)});
  }
}

void SimActivity::request_stop() noexcept {
  stop_.request_stop();
  parent_.scheduler().notify(task_);
}

Result<void> SimActivity::join(Deadline deadline) {
  const Time start = parent_.clock().now();
  const auto ended = [this] { return task_.ended(); };
  const auto how = parent_.wait(deadline, ended, [] { return false; });
  if (how != SimPeer::Wait::ready) {
    return parent_.gave_up(how, parent_.id(), "activity '" + name_ + "' has not ended", start);
  }
  collect();
  if (error_) {
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
  return {};
}

void SimActivity::run() {
  try {
    work_(self_, stop_.get_token());
  } catch (const HostOff&) {
    // The peer's main activity unwinds as well and says why.
  } catch (...) {
    error_ = std::current_exception();
  }
  parent_.scheduler().notify(parent_.task());
}

void SimActivity::collect() {
  if (!std::exchange(collected_, true)) {
    parent_.merge(self_.meter());
  }
}

}  // namespace starling::simulation
