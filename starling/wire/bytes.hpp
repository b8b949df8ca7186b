// Numbers and names as bytes: little-endian, every length checked before it is believed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starling::wire {

/// Appends to a vector of bytes.
class ByteWriter {
 public:
  void u8(std::uint8_t value);
  void u16(std::uint16_t value);
  void u32(std::uint32_t value);
  void u64(std::uint64_t value);

  /// The bits of the number, so that every value, NaN included, comes back unchanged.
  void f64(double value);

  void raw(std::span<const std::byte> bytes);

  /// Length (32 bits), then the bytes. @pre text.size() < 2^32
  void text(std::string_view text);

  [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

  [[nodiscard]] std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads what ByteWriter wrote. Every getter throws DataError, naming `origin`, when the bytes end
/// too early; nothing is allocated for a length that the remaining bytes cannot hold.
class ByteReader {
 public:
  /// @param origin whose bytes these are, for errors; must outlive the reader, as must the bytes
  ByteReader(std::span<const std::byte> bytes, std::string_view origin)
      : left_(bytes), origin_(origin) {}

  std::uint8_t u8();
  std::uint16_t u16();
  std::uint32_t u32();
  std::uint64_t u64();
  double f64();

  /// The next `size` bytes, not copied.
  std::span<const std::byte> raw(std::uint64_t size);

  /// A text of at most `length_max` bytes.
  std::string text(std::size_t length_max);

  /// A number of items that follow, each at least `item_bytes` long. @pre item_bytes >= 1
  std::uint32_t count(std::size_t item_bytes);

  [[nodiscard]] std::size_t left() const noexcept { return left_.size(); }

  /// Refuses bytes behind the last item.
  void expect_end() const;

  /// Throws the DataError "<origin>: <what>".
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  std::span<const std::byte> left_;
  std::string_view origin_;
};

}  // namespace starling::wire
