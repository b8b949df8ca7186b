// Ctrl-C and its relatives, taken by a thread of their own.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace starling::cli {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP asks `on_first`; unless that says that the
/// run will end by itself, and at the second signal, the process ends at once with exit code 130.
/// SIGHUP stays ignored where it was before (nohup).
/// @pre made before any other thread, so that all inherit the mask
class SignalWatch {
 public:
  /// `on_first` runs on the watching thread and outlives the watch. @return true: the run ends soon
  explicit SignalWatch(std::function<bool()> on_first);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// From now on already the first signal ends the process: there is nothing left to finish.
  void end_at_once() noexcept { patient_ = false; }

 private:
  void watch();

  std::function<bool()> on_first_;
  std::atomic<bool> patient_{true};  // alone: nothing else is read or written because of it
  int signals_;                      // file descriptor that signals are read from
  int stop_;                         // file descriptor that wakes the thread up for its end
  std::jthread thread_;              // last: joined first
};

}  // namespace starling::cli
