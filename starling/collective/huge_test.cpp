// Vectors with more than 2^31 elements and more than 2^32 bytes, in messages of 100 MiB.
#include <cstdint>
#include <span>
#include <stdexcept>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "starling/collective/collective.hpp"
#include "starling/core/half.hpp"
#include "starling/transport/threads/thread_world.hpp"

namespace starling::collective {
namespace {

using namespace std::chrono_literals;

/// A long vector of few pages: the same piece of memory, again and again. What is written to one
/// period shows in all, so it holds anything periodic.
class Periodic {
 public:
  static constexpr std::size_t kPeriod = std::size_t{1} << 25U;  // bytes
  static constexpr std::size_t kPeriods = 129;

  Periodic() {
    const int file = ::memfd_create("periodic", 0);
    if (file < 0 || ::ftruncate(file, kPeriod) != 0) {
      throw std::runtime_error("no memory file");
    }
    void* whole = ::mmap(
        nullptr, kPeriod * kPeriods, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    memory_ = static_cast<std::byte*>(whole);
    for (std::size_t k = 0; k < kPeriods; ++k) {
      ::mmap(
          memory_ + k * kPeriod, kPeriod, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
    }
    ::close(file);
  }

  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

  ~Periodic() { ::munmap(memory_, kPeriod * kPeriods); }

  [[nodiscard]] std::span<Half> halves() const {
    return {reinterpret_cast<Half*>(memory_), kPeriod * kPeriods / sizeof(Half)};
  }

  [[nodiscard]] std::span<Half> period() const { return halves().first(kPeriod / sizeof(Half)); }

 private:
  std::byte* memory_ = nullptr;
};

TEST(Huge, MoreThanTwoToThe31Elements) {
  static_assert(Periodic::kPeriod * Periodic::kPeriods / sizeof(Half) > std::size_t{1} << 31U);
  ThreadWorld({.peers = 2})
      .run([&](Peer& peer) {
        const Periodic input;
        const Periodic output;
        const auto period = input.period();
        for (std::size_t k = 0; k < period.size(); ++k) {
          period[k] = to_half(static_cast<float>(k % 512 + peer.id().value));
        }
        Collective(Group::everyone(peer))
            .all_reduce(input.halves(),
                        output.halves(),
                        Reduction::sum,
                        {.algorithm = "halving-doubling",
                         .deadline = peer.clock().in(300s),
                         .message_bytes = std::size_t{100} << 20U});
        std::size_t wrong = 0;
        for (std::size_t k = 0; k < period.size(); ++k) {
          const float sum = static_cast<float>(2 * (k % 512) + 1);
          wrong += output.period()[k] == to_half(sum) ? 0 : 1;
        }
        EXPECT_EQ(wrong, 0U);
        EXPECT_EQ(peer.meter().payload_bytes_sent, Periodic::kPeriod * Periodic::kPeriods);
      })
      .or_throw();
}

}  // namespace
}  // namespace starling::collective
