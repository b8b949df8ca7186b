// One block = a header and the payload behind it. Free blocks wait in lists by power-of-two size.
#include "starling/core/buffer.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "starling/core/ensure.hpp"

namespace starling {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmallestClass = 8;              // 256 bytes
constexpr std::size_t kLargestClass = 28;              // 256 MiB; larger blocks are not kept
constexpr std::uint64_t kPooledBytesMax = 1ULL << 29;  // 512 MiB over all classes

}  // namespace

struct alignas(kAlignment) Buffer::Block {
  // Owners of the block. Relaxed to add (the adder holds a handle already), acquire-release to
  // drop, so that the last owner sees every use of the bytes before it recycles them.
  std::atomic<std::uint32_t> handles{1};
  std::uint32_t size_class = 0;

  std::byte* payload() { return reinterpret_cast<std::byte*>(this + 1); }
};

namespace {

/// Free blocks of one size class; the mutex guards the list.
struct FreeList {
  std::mutex mutex;
  std::vector<void*> blocks;
};

struct Pool {
  std::array<FreeList, kLargestClass + 1> lists;
  // Bytes in all lists. Relaxed: a bound, not a hand-over; the lists have their own locks.
  std::atomic<std::uint64_t> bytes{0};

  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  ~Pool() {
    for (auto& list : lists) {
      for (void* block : list.blocks) {
        ::operator delete (block, std::align_val_t{kAlignment});
      }
    }
  }
};

Pool& pool() {
  static Pool instance;
  return instance;
}

std::uint32_t class_of(std::size_t bytes) {
  const auto bits = static_cast<std::uint32_t>(std::bit_width(bytes - 1));
  return bits < kSmallestClass ? kSmallestClass : bits;
}

void* take_free(std::uint32_t size_class) {
  if (size_class > kLargestClass) {
    return nullptr;
  }
  FreeList& list = pool().lists[size_class];
  const std::lock_guard lock(list.mutex);
  if (list.blocks.empty()) {
    return nullptr;
  }
  void* block = list.blocks.back();
  list.blocks.pop_back();
  pool().bytes.fetch_sub(1ULL << size_class, std::memory_order_relaxed);
  return block;
}

bool keep_free(void* block, std::uint32_t size_class) noexcept {
  if (size_class > kLargestClass) {
    return false;
  }
  const std::uint64_t bytes = 1ULL << size_class;
  if (pool().bytes.load(std::memory_order_relaxed) + bytes > kPooledBytesMax) {
    return false;
  }
  FreeList& list = pool().lists[size_class];
  const std::lock_guard lock(list.mutex);
  try {
    list.blocks.push_back(block);
  } catch (const std::bad_alloc&) {
    return false;
  }
  pool().bytes.fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

}  // namespace

Buffer::Buffer(std::size_t size) : size_(size) {
  if (size == 0) {
    return;
  }
  const std::uint32_t size_class = class_of(size + sizeof(Block));
  void* memory = take_free(size_class);
  if (memory == nullptr) {
    const std::size_t bytes =
        size_class > kLargestClass ? size + sizeof(Block) : std::size_t{1} << size_class;
    memory = ::operator new (bytes, std::align_val_t{kAlignment});
  }
  block_ = new (memory) Block;
  block_->size_class = size_class;
}

Buffer Buffer::copy_of(std::span<const std::byte> bytes) {
  Buffer copy(bytes.size());
  if (!bytes.empty()) {
    std::memcpy(copy.mutable_bytes().data(), bytes.data(), bytes.size());
  }
  return copy;
}

Buffer Buffer::copy_of(std::span<const float> values) {
  return copy_of(std::as_bytes(values));
}

Buffer::Buffer(Buffer&& other) noexcept
    : block_(std::exchange(other.block_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    release();
    block_ = std::exchange(other.block_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

Buffer::~Buffer() {
  release();
}

std::span<const std::byte> Buffer::bytes() const noexcept {
  if (block_ == nullptr) {
    return {};
  }
  return {block_->payload(), size_};
}

std::span<const float> Buffer::values() const {
  ensure(size_ % sizeof(float) == 0, "a buffer of floats has whole floats", size_);
  if (block_ == nullptr) {
    return {};
  }
  return {reinterpret_cast<const float*>(block_->payload()), size_ / sizeof(float)};
}

std::span<std::byte> Buffer::mutable_bytes() {
  if (block_ == nullptr) {
    return {};
  }
  ensure(block_->handles.load(std::memory_order_acquire) == 1, "a shared buffer is read-only");
  return {block_->payload(), size_};
}

std::span<float> Buffer::mutable_values() {
  ensure(size_ % sizeof(float) == 0, "a buffer of floats has whole floats", size_);
  const std::span<std::byte> bytes = mutable_bytes();
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

Buffer Buffer::share() const {
  Buffer other;
  other.block_ = block_;
  other.size_ = size_;
  if (block_ != nullptr) {
    block_->handles.fetch_add(1, std::memory_order_relaxed);
  }
  return other;
}

void Buffer::release() noexcept {
  Block* block = std::exchange(block_, nullptr);
  size_ = 0;
  if (block == nullptr || block->handles.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;
  }
  const std::uint32_t size_class = block->size_class;
  block->~Block();
  if (!keep_free(block, size_class)) {
    ::operator delete (static_cast<void*>(block), std::align_val_t{kAlignment});
  }
}

std::uint64_t pooled_bytes() noexcept {
  return pool().bytes.load(std::memory_order_relaxed);
}

}  // namespace starling
