// One more activity of a simulated peer: an actor on the same host.
#pragma once

#include <exception>
#include <functional>
#include <stop_token>
#include <string>

#include "starling/simulation/sim_peer.hpp"

namespace starling::simulation {

class SimActivity final : public Activity {
 public:
  SimActivity(SimPeer& parent, std::string name, std::function<void(Peer&, std::stop_token)> work);
  ~SimActivity() override;

  void request_stop() noexcept override;

  Result<void> join(Deadline deadline) override;

 private:
  void run();
  void collect();

  SimPeer& parent_;
  std::string name_;
  std::function<void(Peer&, std::stop_token)> work_;
  std::stop_source stop_;
  Task task_;
  SimPeer self_;
  std::exception_ptr error_;
  bool collected_ = false;
};

}  // namespace starling::simulation
