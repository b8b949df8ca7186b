// One run of a SimWorld: what its peers share, and the lives of the peers from start to end.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "starling/peer/memory_directory.hpp"
#include "starling/peer/wait_board.hpp"
#include "starling/simulation/post_office.hpp"
#include "starling/simulation/scheduler.hpp"
#include "starling/simulation/sim_world.hpp"

namespace starling::simulation {

class SimPeer;

/// What was read from the options when the world was made.
struct SimPlan {
  Platform platform;
  FaultPlan faults;
  std::vector<double> speeds;
};

class SimRun {
 public:
  SimRun(const SimOptions& options,
         const SimPlan& plan,
         const std::function<void(Peer&)>& body,
         std::vector<std::uint32_t>& incarnations);

  RunReport run();

  [[nodiscard]] const SimOptions& options() const noexcept { return options_; }

  [[nodiscard]] std::span<const PeerId> peers() const noexcept { return peers_; }

  [[nodiscard]] Time now() const { return scheduler_.now(); }

  Scheduler& scheduler() noexcept { return scheduler_; }

  PostOffice& post_office() noexcept { return post_office_; }

  WaitBoard& waits() noexcept { return waits_; }

  RecordTable& records() noexcept { return records_; }

 private:
  [[nodiscard]] std::vector<Pace> paces(const SimPlan& plan) const;
  void schedule_kills(const FaultPlan& faults);
  void begin_life(PeerId id);
  void live(PeerId id, Task& task);
  void leave(SimPeer& peer, PeerOutcome& outcome);
  void kill(PeerId id, std::size_t fault);
  void bring_back(PeerId id, std::size_t fault);
  void report_stall();
  [[nodiscard]] std::string death_of(PeerId id) const;

  /// The fault that holds a host off, and since when.
  struct Death {
    std::size_t fault = 0;
    Time at{};
  };

  const SimOptions& options_;
  const std::function<void(Peer&)>& body_;
  std::vector<std::uint32_t>& incarnations_;
  std::vector<PeerId> peers_;
  WaitBoard waits_;
  RecordTable records_;
  Kernel kernel_;
  Scheduler scheduler_;
  PostOffice post_office_;
  std::deque<Task> tasks_;  // one a life; others keep pointers to them
  std::vector<bool> left_;  // whose body has ended by itself
  std::vector<std::optional<Death>> deaths_;
  const FaultPlan& faults_;
  std::vector<bool> killed_;     // by fault: a kill that met its peer alive
  std::vector<Time> end_order_;  // by rank: which end that was, as a time
  std::size_t ends_ = 0;
  RunReport report_;

  [[nodiscard]] std::optional<std::size_t> culprit() const;
  [[nodiscard]] std::vector<bool> happened() const;
};

}  // namespace starling::simulation
