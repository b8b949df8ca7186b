// A model that several activities of one peer read and change while training goes on.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "starling/core/function_ref.hpp"

namespace starling {

/// Parameters behind a lock, with a version that grows at every change. The lock is never held
/// across a call that waits: what runs under it gets a span and must not touch a Peer.
class SharedModel {
 public:
  explicit SharedModel(std::span<const float> initial) : values_(initial.begin(), initial.end()) {}

  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }

  /// Copies the model out. @return its version. @pre out.size() == size()
  std::uint64_t read(std::span<float> out) const;

  /// Runs `change` on the model. @return the version after it
  std::uint64_t change(FunctionRef<void(std::span<float>)> change);

 private:
  mutable std::mutex mutex_;  // guards values_ and version_
  std::vector<float> values_;
  std::uint64_t version_ = 0;
};

}  // namespace starling
