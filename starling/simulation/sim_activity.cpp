#include "starling/simulation/sim_activity.hpp"

#include <utility>

namespace starling::simulation {

namespace {

using Work = std::function<void(Peer&, std::stop_token)>;

/// Where the host goes off the peer's main activity unwinds as well and says why.
Work silent_about_its_host(Work work) {
  return [work = std::move(work)](Peer& self, std::stop_token stop) {
    try {
      work(self, std::move(stop));
    } catch (const HostOff&) {
      return;
    }
  };
}

}  // namespace

SimActivity::SimActivity(SimPeer& parent, std::string name, Work work)
    : parent_(parent),
      body_(std::move(name), silent_about_its_host(std::move(work))),
      self_(parent, body_.stop_token(), task_) {
  parent_.scheduler().start(
      task_, parent_.task().host(), to_string(parent_.id()) + "/" + body_.name(), [this] {
        run();
      });
}

SimActivity::~SimActivity() {
  request_stop();
  while (!task_.ended()) {
    parent_.scheduler().await_regardless(parent_.task());
  }
  collect();
  body_.report_to(parent_);
}

void SimActivity::request_stop() noexcept {
  body_.request_stop();
  parent_.scheduler().notify(task_);
}

Result<void> SimActivity::join(Deadline deadline) {
  const Time start = parent_.clock().now();
  const auto ended = [this] { return task_.ended(); };
  const WaitEnd how = parent_.wait(deadline, {ended, kNever});
  if (how != WaitEnd::ready) {
    return body_.not_ended(how, parent_.id(), parent_.clock().now() - start);
  }
  collect();
  body_.rethrow();
  return {};
}

void SimActivity::run() {
  body_.run(self_);
  parent_.scheduler().notify(parent_.task());
}

void SimActivity::collect() {
  if (!std::exchange(collected_, true)) {
    parent_.merge(self_.meter());
  }
}

}  // namespace starling::simulation
