// What an activity is in every world: work, a stop, and the error it ended with.
#pragma once

#include <exception>
#include <functional>
#include <stop_token>
#include <string>

#include "starling/peer/peer.hpp"
#include "starling/peer/wait.hpp"

namespace starling {

/// The part of an Activity that knows nothing of threads or actors. run() belongs to the activity,
/// the rest to its parent; what run() did is seen once it is known to have returned.
class ActivityBody {
 public:
  ActivityBody(std::string name, std::function<void(Peer&, std::stop_token)> work);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  [[nodiscard]] std::stop_token stop_token() const noexcept { return stop_.get_token(); }

  void request_stop() noexcept { stop_.request_stop(); }

  /// Does the work as `self`; what it throws is kept.
  void run(Peer& self) noexcept;

  /// Throws what it ended with, once.
  void rethrow();

  /// An error that nobody asked for becomes an event of `parent`.
  void report_to(Peer& parent) const noexcept;

  /// The failure of a join() by `parent` that was given up.
  [[nodiscard]] Failure not_ended(WaitEnd how, PeerId parent, Duration waited) const;

 private:
  std::string name_;
  std::function<void(Peer&, std::stop_token)> work_;
  std::stop_source stop_;
  std::exception_ptr error_;
};

}  // namespace starling
