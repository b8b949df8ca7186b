#include "starling/transport/threads/thread_activity.hpp"

#include <system_error>
#include <utility>

#include "starling/core/error.hpp"

namespace starling::threads {

ThreadActivity::ThreadActivity(ThreadPeer& parent,
                               std::string name,
                               std::function<void(Peer&, std::stop_token)> work)
    : parent_(parent),
      name_(std::move(name)),
      work_(std::move(work)),
      self_(parent, stop_.get_token()) {
  try {
    thread_ = std::jthread([this] { run(); });
  } catch (const std::system_error& cause) {
    throw Error(ExitCode::internal,
                "activity '" + name_ + "' of " + to_string(parent.id()) +
                    " cannot start a thread: " + cause.what() +
                    "; use fewer peers or raise the limit (ulimit -u)");
  }
}

ThreadActivity::~ThreadActivity() {
  stop_.request_stop();
  collect();
  if (error_) {
    parent_.emit_if_possible(
        Note{Severity::error, "activity '" + name_ + "' ended: " + words_of(error_)});
  }
}

Result<void> ThreadActivity::join(Deadline deadline) {
  const Time start = parent_.clock().now();
  const auto ended = [this] { return ended_.load(std::memory_order_acquire); };
  const auto how = parent_.wait(deadline, ended, [] { return false; });
  if (how != ThreadPeer::Wait::ready) {
    return parent_.gave_up(how, parent_.id(), "activity '" + name_ + "' has not ended", start);
  }
  collect();
  if (error_) {
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
  return {};
}

void ThreadActivity::run() noexcept {
  try {
    work_(self_, stop_.get_token());
  } catch (...) {
    error_ = std::current_exception();
  }
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
