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

void StopPoint::request() {
  const std::lock_guard lock(mutex_);
  end_ = std::min(end_, begun_);
}

bool StopPoint::requested() const {
  const std::lock_guard lock(mutex_);
  return end_ != std::numeric_limits<std::uint64_t>::max();
}

}  // namespace starling::trainer
