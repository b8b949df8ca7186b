// One more activity of a peer that is a thread: another thread.
#pragma once

#include <atomic>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "starling/peer/activity_body.hpp"
#include "starling/transport/threads/thread_peer.hpp"

namespace starling::threads {

class ThreadActivity final : public Activity {
 public:
  /// Starts at once. @throws Error if the machine gives no more threads
  ThreadActivity(ThreadPeer& parent,
                 std::string name,
                 std::function<void(Peer&, std::stop_token)> work);

  ThreadActivity(const ThreadActivity&) = delete;
  ThreadActivity& operator=(const ThreadActivity&) = delete;

  /// An error that nobody asked for by join() becomes an event.
  ~ThreadActivity() override;

  void request_stop() noexcept override { body_.request_stop(); }

  Result<void> join(Deadline deadline) override;

 private:
  ThreadPeer& parent_;
  ActivityBody body_;
  ThreadPeer self_;
  std::atomic<bool> ended_{false};  // released by the thread after body_ ran; the parent acquires
  std::jthread thread_;             // last: joins before the rest goes

  void run() noexcept;
  void collect();
};

}  // namespace starling::threads
