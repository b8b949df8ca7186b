// Result<T>: a value or the Failure that took its place. Shaped like std::expected, to become it
// later.
#pragma once

#include <utility>
#include <variant>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"

namespace starling {

/// A value or a Failure.
template <class T>
class [[nodiscard]] Result {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}

  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Failure failure) : content_(std::in_place_index<1>, std::move(failure)) {}

  [[nodiscard]] bool has_value() const noexcept { return content_.index() == 0; }

  explicit operator bool() const noexcept { return has_value(); }

  /// @pre has_value()
  T& operator*() & { return value(); }

  const T& operator*() const& { return value(); }

  T* operator->() { return &value(); }

  const T* operator->() const { return &value(); }

  [[nodiscard]] T& value() & {
    ensure(has_value(), "the result holds a failure");
    return std::get<0>(content_);
  }

  [[nodiscard]] const T& value() const& {
    ensure(has_value(), "the result holds a failure");
    return std::get<0>(content_);
  }

  /// @pre !has_value()
  [[nodiscard]] const Failure& error() const& {
    ensure(!has_value(), "the result holds a value");
    return std::get<1>(content_);
  }

  /// The value, or PeerLost thrown: for operations that cannot go on without it.
  T or_throw() && {
    if (!has_value()) {
      throw PeerLost(std::get<1>(std::move(content_)));
    }
    return std::get<0>(std::move(content_));
  }

 private:
  std::variant<T, Failure> content_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;

  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Failure failure) : content_(std::in_place_index<1>, std::move(failure)) {}

  [[nodiscard]] bool has_value() const noexcept { return content_.index() == 0; }

  explicit operator bool() const noexcept { return has_value(); }

  [[nodiscard]] const Failure& error() const& {
    ensure(!has_value(), "the result holds a value");
    return std::get<1>(content_);
  }

  void or_throw() && {
    if (!has_value()) {
      throw PeerLost(std::get<1>(std::move(content_)));
    }
  }

 private:
  std::variant<std::monostate, Failure> content_;
};

}  // namespace starling
