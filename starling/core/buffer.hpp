// Owned memory that travels between peers: aligned, pooled, handed over instead of copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace starling {

/// Memory of one message. Moving hands it over; share() makes a second read-only handle to the same
/// bytes, so one payload can go to several peers. Storage is 64-byte aligned and comes from a pool
/// of the process, which keeps what is released (within a bound) for the next buffer of that size.
class Buffer {
 public:
  Buffer() = default;

  /// `size` bytes of unspecified content. @throws std::bad_alloc
  explicit Buffer(std::size_t size);

  static Buffer copy_of(std::span<const std::byte> bytes);
  static Buffer copy_of(std::span<const float> values);

  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept;

  /// The bytes as floats. @pre size() is a multiple of sizeof(float)
  [[nodiscard]] std::span<const float> values() const;

  /// For writing. @pre this is the only handle
  [[nodiscard]] std::span<std::byte> mutable_bytes();

  /// For writing. @pre this is the only handle and size() is a multiple of sizeof(float)
  [[nodiscard]] std::span<float> mutable_values();

  /// A second handle to the same bytes; both are read-only until one of them goes.
  [[nodiscard]] Buffer share() const;

 private:
  struct Block;

  Block* block_ = nullptr;
  std::size_t size_ = 0;

  void release() noexcept;
};

/// Bytes held in free buffers of the process's pool, for tests and reports.
std::uint64_t pooled_bytes() noexcept;

}  // namespace starling
