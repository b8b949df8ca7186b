// One more activity of a simulated peer: an actor on the same host.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "starling/peer/activity_body.hpp"
#include "starling/simulation/sim_peer.hpp"

namespace starling::simulation {

class SimActivity final : public Activity {
 public:
  SimActivity(SimPeer& parent, std::string name, std::function<void(Peer&, std::stop_token)> work);
  SimActivity(const SimActivity&) = delete;
  SimActivity& operator=(const SimActivity&) = delete;

  /// An error that nobody asked for by join() becomes an event.
  ~SimActivity() override;

  void request_stop() noexcept override;

  Result<void> join(Deadline deadline) override;

 private:
  void run();
  void collect();

  SimPeer& parent_;
  ActivityBody body_;
  Task task_;
  SimPeer self_;
  bool collected_ = false;
};

}  // namespace starling::simulation
