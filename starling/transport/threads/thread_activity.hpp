// One more activity of a peer that is a thread: another thread.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "starling/peer/peer.hpp"
#include "starling/transport/threads/thread_peer.hpp"

namespace starling::threads {

class ThreadActivity final : public Activity {
 public:
  /// Starts at once. @throws Error if the machine gives no more threads
  ThreadActivity(ThreadPeer& parent,
                 std::string name,
                 std::function<void(Peer&, std::stop_token)> work);

  /// An error that nobody asked for by join() becomes an event.
  ~ThreadActivity() override;

  void request_stop() noexcept override { stop_.request_stop(); }

  Result<void> join(Deadline deadline) override;

 private:
  ThreadPeer& parent_;
  std::string name_;
  std::function<void(Peer&, std::stop_token)> work_;
  std::stop_source stop_;
  ThreadPeer self_;
  std::exception_ptr error_;        // written before ended_
  std::atomic<bool> ended_{false};  // released by the thread, acquired by the parent
  std::jthread thread_;             // last: joins before the rest goes

  void run() noexcept;
  void collect();
};

}  // namespace starling::threads
