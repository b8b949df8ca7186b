#include "starling/trainer/stop_point.hpp"

#include <algorithm>

namespace starling::trainer {

bool StopPoint::may_begin(std::uint64_t step) {
  const std::lock_guard lock(mutex_);
  if (step >= end_) {
    return false;
  }
  begun_ = std::max(begun_, step + 1);
  return true;
}

bool StopPoint::request() {
  const std::lock_guard lock(mutex_);
  end_ = std::min(end_, begun_);
  if (!requested_at_) {
    requested_at_ = std::chrono::steady_clock::now();
  }
  return begun_ > 0;
}

bool StopPoint::requested() const {
  const std::lock_guard lock(mutex_);
  return requested_at_.has_value();
}

bool StopPoint::is_overdue(std::chrono::steady_clock::duration patience) const {
  const std::lock_guard lock(mutex_);
  return requested_at_ && std::chrono::steady_clock::now() - *requested_at_ > patience;
}

}  // namespace starling::trainer
