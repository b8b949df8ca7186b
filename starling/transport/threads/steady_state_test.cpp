// A steady state allocates nothing: this program counts every allocation.
#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "starling/peer/peer.hpp"
#include "starling/transport/threads/thread_world.hpp"

namespace {

std::atomic<std::uint64_t> allocations{0};  // relaxed: read when the threads have met

void* allocate(std::size_t size, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

// Not inlined: the compiler would take free() beside an inlined operator new for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  return allocate(size, alignof(std::max_align_t));
}

[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace starling {

namespace {

/// Rounds of all a collective or a gossip step does: lend and add, send and receive.
void exchange(Peer& peer, std::uint64_t rounds, std::span<const float> own, std::span<float> sum) {
  constexpr Tag kLent{Purpose::collective, 0};
  constexpr Tag kSent{Purpose::mixing, 0};
  const PeerId other{1 - peer.id().value};
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const Deadline deadline = peer.clock().in(std::chrono::seconds(30));
    const Stamp stamp{.round = round};
    Pending lent = peer.post(other, kLent, stamp, std::as_bytes(own));
    peer.send(other, kSent, stamp, Buffer::copy_of(own), deadline).or_throw();
    peer.receive_add(other, kLent, {stamp, own.size_bytes()}, sum, deadline).or_throw();
    (void)peer.receive(other, kSent, deadline).or_throw();
    lent.wait(deadline).or_throw();
  }
}

// The peers may run one round further apart than they did while warming up; that takes a buffer and
// a queue node more, once. One allocation a round would be 300.
TEST(ThreadWorld, SteadyStateAllocatesNothing) {
  const std::vector<float> own(1000, 1.0F);
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  ThreadWorld world({.peers = 2});
  world
      .run([&](Peer& peer) {
        std::vector<float> sum(own.size());
        exchange(peer, 300, own, sum);
        if (peer.id() == PeerId{0}) {
          before = allocations.load(std::memory_order_relaxed);
        }
        exchange(peer, 300, own, sum);
        if (peer.id() == PeerId{0}) {
          after = allocations.load(std::memory_order_relaxed);
        }
        exchange(peer, 1, own, sum);  // nobody leaves before it was counted
      })
      .or_throw();
  EXPECT_GT(before, 0U) << "allocations are counted";
  EXPECT_LE(after, before + 8);
}

}  // namespace

}  // namespace starling
