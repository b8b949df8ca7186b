#include "starling/peer/shared_model.hpp"

#include "starling/core/span_math.hpp"

namespace starling {

std::uint64_t SharedModel::read(std::span<float> out) const {
  const std::lock_guard lock(mutex_);
  copy(values_, out);
  return version_;
}

std::uint64_t SharedModel::change(FunctionRef<void(std::span<float>)> change) {
  const std::lock_guard lock(mutex_);
  change(values_);
  return ++version_;
}

}  // namespace starling
