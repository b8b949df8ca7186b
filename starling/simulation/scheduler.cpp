#include "starling/simulation/scheduler.hpp"

#include <algorithm>

#include "starling/core/ensure.hpp"

namespace starling::simulation {

Scheduler::Scheduler(Kernel& kernel,
                     std::vector<Pace> paces,
                     Duration patience,
                     Callbacks callbacks)
    : kernel_(kernel),
      paces_(std::move(paces)),
      patience_(patience),
      callbacks_(std::move(callbacks)) {
  kernel_.on_alarm([this] { ring(); });
}

void Scheduler::start(Task& task,
                      std::size_t host,
                      const std::string& name,
                      std::function<void()> body) {
  ensure(task.ended_, "a task is started again only after its end", name);
  task.id_ = next_id_++;
  task.host_ = host;
  task.ended_ = false;
  task.off_ = false;
  tasks_.emplace(task.id_, &task);
  ++moves_;
  task.actor_ = kernel_.start(host, name, [this, &task, body = std::move(body)] {
    body();
    end(task);
  });
}

void Scheduler::end(Task& task) {
  tasks_.erase(task.id_);
  ++moves_;
  if (tasks_.empty()) {
    events_.clear();
    kernel_.clear_alarm();
  } else {
    look_for_stall();
  }
  task.ended_ = true;
}

void Scheduler::await(Task& task, Time until) {
  park(task, until, Task::Mode::awaiting);
}

void Scheduler::doze(Task& task, Time until) {
  park(task, until, Task::Mode::busy);
}

void Scheduler::await_regardless(Task& task) noexcept {
  park(task, Time::max(), Task::Mode::joining);
}

Time Scheduler::finish(const Task& task, Duration cost) const {
  return paces_[task.host_].finish(now(), cost);
}

void Scheduler::park(Task& task, Time until, Task::Mode mode) {
  if (task.off_ && mode != Task::Mode::joining) {
    throw HostOff{};
  }
  task.stalled_ = false;
  task.mode_ = mode;
  task.wake_at_ = paces_[task.host_].awake(until);
  wakes_.emplace(Moment(task.wake_at_, task.id_), &task);
  if (mode == Task::Mode::busy) {
    ++moves_;
  } else {
    ++awaiting_;
  }
  look_for_stall();
  set_alarm();
  while (task.mode_ != Task::Mode::running) {
    kernel_.pause();
  }
  if (task.off_ && mode != Task::Mode::joining) {
    throw HostOff{};
  }
}

void Scheduler::wake(Task& task) {
  if (task.mode_ == Task::Mode::running) {
    return;
  }
  if (task.mode_ != Task::Mode::busy) {
    --awaiting_;
  }
  wakes_.erase(Moment(task.wake_at_, task.id_));
  task.mode_ = Task::Mode::running;
  kernel_.resume(*task.actor_);
}

void Scheduler::notify(Task& task) {
  if (task.ended_ || task.mode_ == Task::Mode::running) {
    return;
  }
  ++moves_;
  const Time awake = paces_[task.host_].awake(now());
  if (awake <= now()) {
    wake(task);
    return;
  }
  // It runs when the pause ends, whatever its deadline is; until then it is its host that is
  // awaited.
  wakes_.erase(Moment(task.wake_at_, task.id_));
  task.wake_at_ = awake;
  wakes_.emplace(Moment(awake, task.id_), &task);
  if (task.mode_ != Task::Mode::busy) {
    --awaiting_;
  }
  task.mode_ = Task::Mode::busy;
  callbacks_.frozen(task.host_);
}

void Scheduler::at(Time at, std::function<void()> event) {
  events_.emplace(Moment(at, next_id_++), std::move(event));
  set_alarm();
}

void Scheduler::turn_off(std::size_t host) {
  for (const auto& [id, task] : tasks_) {
    if (task->host_ != host) {
      continue;
    }
    task->off_ = true;
    wake(*task);
  }
}

void Scheduler::end_at(Time limit) {
  limit_ = limit;
  set_alarm();
}

/// All tasks wait for each other, and neither a message nor an event is on its way. The deadlines
/// that are left cannot change what is awaited. For those who wait once more after they were given
/// up the deadlines are let come: time would stand still otherwise.
bool Scheduler::is_stalled() const {
  if (awaiting_ == 0 || awaiting_ != tasks_.size() || !events_.empty() || kernel_.in_flight() > 0) {
    return false;
  }
  if (moves_ == moves_at_stall_ || now() <= last_stall_) {
    return false;
  }
  return wakes_.begin()->first.first - now() >= patience_;
}

void Scheduler::look_for_stall() {
  if (!is_stalled()) {
    return;
  }
  callbacks_.stalled();
  for (const auto& [id, task] : tasks_) {
    if (task->mode_ != Task::Mode::awaiting) {
      continue;
    }
    task->stalled_ = true;
    wake(*task);
  }
  moves_at_stall_ = moves_;
  last_stall_ = now();
}

void Scheduler::ring() {
  if (limit_ <= now()) {
    limit_ = Time::max();
    timed_out_ = true;
    for (const auto& [id, task] : tasks_) {
      task->off_ = true;
      wake(*task);
    }
  }
  for (;;) {
    if (!events_.empty() && events_.begin()->first.first <= now()) {
      auto event = std::move(events_.begin()->second);
      events_.erase(events_.begin());
      ++moves_;
      event();
    } else if (!wakes_.empty() && wakes_.begin()->first.first <= now()) {
      wake(*wakes_.begin()->second);
    } else {
      break;
    }
  }
  look_for_stall();
  set_alarm();
}

void Scheduler::set_alarm() {
  Time next = limit_;
  if (!events_.empty()) {
    next = std::min(next, events_.begin()->first.first);
  }
  if (!wakes_.empty()) {
    next = std::min(next, wakes_.begin()->first.first);
  }
  if (next < Time::max()) {
    kernel_.set_alarm(next);
  } else {
    kernel_.clear_alarm();
  }
}

}  // namespace starling::simulation
