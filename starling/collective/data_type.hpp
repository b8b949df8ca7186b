// What the vectors of a group operation are made of.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>

#include "starling/core/half.hpp"

namespace starling::collective {

/// Half-width floats travel as they are and are added as f32, each sum rounded to nearest even.
enum class DataType : std::uint8_t { f32, f64, f16, bf16, i32, i64 };

inline constexpr std::size_t kDataTypes = 6;

const char* to_string(DataType type) noexcept;

[[nodiscard]] constexpr std::size_t size_of(DataType type) {
  switch (type) {
    case DataType::f16:
    case DataType::bf16:
      return 2;
    case DataType::f32:
    case DataType::i32:
      return 4;
    case DataType::f64:
    case DataType::i64:
      break;
  }
  return 8;
}

template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, Half> ||
    std::same_as<T, BFloat16> || std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>;

template <Element T>
inline constexpr DataType kDataTypeOf = std::same_as<T, float>          ? DataType::f32
                                        : std::same_as<T, double>       ? DataType::f64
                                        : std::same_as<T, Half>         ? DataType::f16
                                        : std::same_as<T, BFloat16>     ? DataType::bf16
                                        : std::same_as<T, std::int32_t> ? DataType::i32
                                                                        : DataType::i64;

/// Calls visit(T{}) with the C++ type of `type`.
template <class Visit>
decltype(auto) with_type(DataType type, Visit visit) {
  switch (type) {
    case DataType::f32:
      break;
    case DataType::f64:
      return visit(double{});
    case DataType::f16:
      return visit(Half{});
    case DataType::bf16:
      return visit(BFloat16{});
    case DataType::i32:
      return visit(std::int32_t{});
    case DataType::i64:
      return visit(std::int64_t{});
  }
  return visit(float{});
}

/// What lies in one piece: a span, an array, a vector.
template <class R>
concept Elements = std::ranges::contiguous_range<R> && Element<std::ranges::range_value_t<R>>;

/// Such that is not gone after the call: a span, or an array or vector with a name.
template <class R>
concept BorrowedElements = Elements<R> && std::ranges::borrowed_range<R>;

/// A vector of any of these types, to be read.
class ConstValues {
 public:
  ConstValues() = default;

  template <Elements R>
  ConstValues(const R& values)  // NOLINT(google-explicit-constructor): only a wider view
      : type_(kDataTypeOf<std::ranges::range_value_t<R>>),
        bytes_(std::as_bytes(std::span(values))) {}

  ConstValues(DataType type, std::span<const std::byte> bytes) : type_(type), bytes_(bytes) {}

  [[nodiscard]] DataType type() const noexcept { return type_; }

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

  /// In elements.
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / size_of(type_); }

 private:
  DataType type_ = DataType::f32;
  std::span<const std::byte> bytes_;
};

/// The same, to be written.
class Values {
 public:
  Values() = default;

  template <BorrowedElements R>
  // NOLINTNEXTLINE(google-explicit-constructor,bugprone-forwarding-reference-overload): a view
  Values(R&& values)
      : type_(kDataTypeOf<std::ranges::range_value_t<R>>),
        bytes_(std::as_writable_bytes(std::span(values))) {}

  Values(DataType type, std::span<std::byte> bytes) : type_(type), bytes_(bytes) {}

  operator ConstValues() const { return {type_, bytes_}; }  // NOLINT(google-explicit-constructor)

  [[nodiscard]] DataType type() const noexcept { return type_; }

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

  /// In elements.
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / size_of(type_); }

 private:
  DataType type_ = DataType::f32;
  std::span<std::byte> bytes_;
};

}  // namespace starling::collective
