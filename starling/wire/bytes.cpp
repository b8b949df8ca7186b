#include "starling/wire/bytes.hpp"

#include <bit>
#include <cstring>
#include <limits>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"

namespace starling::wire {

namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are written as they lie in memory");

template <class Number>
void append(std::vector<std::byte>& bytes, Number value) {
  const auto as_bytes = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), as_bytes.begin(), as_bytes.end());
}

template <class Number>
Number number_from(std::span<const std::byte> bytes) {
  Number value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

void ByteWriter::u8(std::uint8_t value) {
  append(bytes_, value);
}

void ByteWriter::u16(std::uint16_t value) {
  append(bytes_, value);
}

void ByteWriter::u32(std::uint32_t value) {
  append(bytes_, value);
}

void ByteWriter::u64(std::uint64_t value) {
  append(bytes_, value);
}

void ByteWriter::f64(double value) {
  append(bytes_, value);
}

void ByteWriter::raw(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void ByteWriter::text(std::string_view text) {
  ensure(text.size() <= std::numeric_limits<std::uint32_t>::max(), "a text is short", text.size());
  u32(static_cast<std::uint32_t>(text.size()));
  raw(std::as_bytes(std::span(text)));
}

std::span<const std::byte> ByteReader::raw(std::uint64_t size) {
  if (size > left_.size()) {
    refuse("expected " + std::to_string(size) + " more bytes, found " +
           std::to_string(left_.size()));
  }
  const auto bytes = left_.first(static_cast<std::size_t>(size));
  left_ = left_.subspan(bytes.size());
  return bytes;
}

std::uint8_t ByteReader::u8() {
  return number_from<std::uint8_t>(raw(1));
}

std::uint16_t ByteReader::u16() {
  return number_from<std::uint16_t>(raw(2));
}

std::uint32_t ByteReader::u32() {
  return number_from<std::uint32_t>(raw(4));
}

std::uint64_t ByteReader::u64() {
  return number_from<std::uint64_t>(raw(8));
}

double ByteReader::f64() {
  return number_from<double>(raw(8));
}

std::string ByteReader::text(std::size_t length_max) {
  const std::uint32_t length = u32();
  if (length > length_max) {
    refuse("a text of " + std::to_string(length) + " bytes, at most " + std::to_string(length_max) +
           " are allowed");
  }
  const auto bytes = raw(length);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint32_t ByteReader::count(std::size_t item_bytes) {
  const std::uint32_t items = u32();
  if (items > left_.size() / item_bytes) {
    refuse(std::to_string(items) + " items are announced, the " + std::to_string(left_.size()) +
           " bytes that follow cannot hold them");
  }
  return items;
}

void ByteReader::expect_end() const {
  if (!left_.empty()) {
    refuse(std::to_string(left_.size()) + " bytes too many");
  }
}

void ByteReader::refuse(const std::string& what) const {
  throw DataError(std::string(origin_) + ": " + what);
}

}  // namespace starling::wire
