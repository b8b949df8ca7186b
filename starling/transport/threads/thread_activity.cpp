#include "starling/transport/threads/thread_activity.hpp"

#include <system_error>
#include <utility>

#include "starling/core/error.hpp"

namespace starling::threads {

ThreadActivity::ThreadActivity(ThreadPeer& parent,
                               std::string name,
                               std::function<void(Peer&, std::stop_token)> work)
    : parent_(parent), body_(std::move(name), std::move(work)), self_(parent, body_.stop_token()) {
  try {
    thread_ = std::jthread([this] { run(); });
  } catch (const std::system_error& cause) {
    throw Error(ExitCode::internal,
                "activity '" + body_.name() + "' of " + to_string(parent.id()) +
                    " cannot start a thread: " + cause.what() +
                    "; use fewer peers or raise the limit (ulimit -u)");
  }
}

ThreadActivity::~ThreadActivity() {
  body_.request_stop();
  collect();
  body_.report_to(parent_);
}

Result<void> ThreadActivity::join(Deadline deadline) {
  const Time start = parent_.clock().now();
  const auto ended = [this] { return ended_.load(std::memory_order_acquire); };
  const WaitEnd how = parent_.wait(deadline, {ended, kNever});
  if (how != WaitEnd::ready) {
    return body_.not_ended(how, parent_.id(), parent_.clock().now() - start);
  }
  collect();
  body_.rethrow();
  return {};
}

void ThreadActivity::run() noexcept {
  body_.run(self_);
  Parker& parent = parent_.parker();
  ended_.store(true, std::memory_order_release);
  parent.unpark();
}

void ThreadActivity::collect() {
  if (!thread_.joinable()) {
    return;
  }
  thread_.join();
  parent_.merge(self_.meter());
}

}  // namespace starling::threads
