// Who runs when, in virtual time: tasks that wait, moments that come, hosts that go off, and the
// discovery that nothing can happen any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "starling/simulation/kernel.hpp"
#include "starling/simulation/pace.hpp"

namespace starling::simulation {

/// Unwinds a task whose host went off (or whose run was ended). Not a std::exception: nobody but
/// the task's top should catch it.
struct HostOff {};

/// One actor: the main activity of a peer, or one more. Outlives its end().
class Task {
 public:
  [[nodiscard]] bool ended() const noexcept { return ended_; }

  /// Whether the wait that just returned was given up because nothing can happen any more.
  [[nodiscard]] bool stalled() const noexcept { return stalled_; }

  [[nodiscard]] std::size_t host() const noexcept { return host_; }

 private:
  friend class Scheduler;

  enum class Mode : std::uint8_t { running, awaiting, busy, joining };

  std::uint64_t id_ = 0;
  std::size_t host_ = 0;
  Kernel::Actor* actor_ = nullptr;
  Mode mode_ = Mode::running;
  Time wake_at_{};
  bool off_ = false;
  bool stalled_ = false;
  bool ended_ = true;
};

class Scheduler {
 public:
  /// What the run is told. `stalled`: nothing can run, all waits are about to fail. `frozen`:
  /// something came for a task, but its host is paused.
  struct Callbacks {
    std::function<void()> stalled;
    std::function<void(std::size_t host)> frozen;
  };

  /// A wait whose deadline is at least `patience` away is given up when nothing can happen; nearer
  /// deadlines are let come, they may be somebody's way of looking again.
  Scheduler(Kernel& kernel, std::vector<Pace> paces, Duration patience, Callbacks callbacks);

  [[nodiscard]] Time now() const { return kernel_.now(); }

  /// Starts a task on `host`. `body` must not throw. @pre task has ended
  void start(Task& task, std::size_t host, const std::string& name, std::function<void()> body);

  // The calls a task makes for itself; it then looks again at what it waits for.

  /// Until notify(), `until` or a stall. @throws HostOff
  void await(Task& task, Time until);

  /// Until notify() or `until`; keeps the world from being stalled. @throws HostOff
  void doze(Task& task, Time until);

  /// Until notify(); lets a host that goes off pass, for destructors that wait for its other tasks.
  void await_regardless(Task& task) noexcept;

  /// When work of `cost` is done on the task's host if it starts now.
  [[nodiscard]] Time finish(const Task& task, Duration cost) const;

  /// Something `task` may be waiting for has come. Nothing if it does not wait.
  void notify(Task& task);

  /// Calls `event` at `at`, while no task runs. Forgotten when the last task ends. Must not throw.
  void at(Time at, std::function<void()> event);

  /// All tasks of `host` unwind.
  void turn_off(std::size_t host);

  /// Gives up all waits if nothing can happen any more. To be called when something has happened
  /// that may have woken nobody.
  void look_for_stall();

  /// At `limit` all tasks unwind.
  void end_at(Time limit);

  [[nodiscard]] bool timed_out() const noexcept { return timed_out_; }

 private:
  using Moment = std::pair<Time, std::uint64_t>;

  void park(Task& task, Time until, Task::Mode mode);
  void wake(Task& task);
  void end(Task& task);
  [[nodiscard]] bool is_stalled() const;
  void ring();
  void set_alarm();

  Kernel& kernel_;
  std::vector<Pace> paces_;
  Duration patience_;
  Callbacks callbacks_;
  std::map<std::uint64_t, Task*> tasks_;  // by id: the order they were started in
  std::map<Moment, Task*> wakes_;
  std::map<Moment, std::function<void()>> events_;
  std::uint64_t next_id_ = 1;
  std::size_t awaiting_ = 0;
  std::uint64_t moves_ = 0;  // grows whenever something happens
  std::uint64_t moves_at_stall_ = 0;
  Time last_stall_ = Time::min();
  Time limit_ = Time::max();
  bool timed_out_ = false;
};

}  // namespace starling::simulation
