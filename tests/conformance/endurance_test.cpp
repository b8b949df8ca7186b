// Long runs stay level: memory and descriptors after many rounds are what they were after a few.
#include <filesystem>
#include <fstream>
#include <utility>

#include <unistd.h>

#include "starling/peer/group.hpp"

#include "tests/conformance/on_worlds.hpp"

namespace starling::testing {

namespace {

class Endurance : public OnWorlds {};

STARLING_ON_WORLDS(Endurance, 3);

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t entries_of(const char* folder) {
  const std::filesystem::directory_iterator entries(folder);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

/// One round: a random size goes round the ring both as a buffer and as a loan.
void exchange(const Group& group, std::uint64_t round, Random& sizes, std::span<float> memory) {
  Peer& peer = group.peer();
  const std::size_t next = (group.rank() + 1) % group.size();
  const std::size_t previous = (group.rank() + group.size() - 1) % group.size();
  const std::size_t size = sizes.below(memory.size() / 2);
  const Stamp stamp = round_stamp(round);
  const auto own = memory.first(size);
  const auto found = memory.last(size);
  Pending lent = group.post(next, kTag, stamp, bytes_of(own));
  group.send(next, kOtherTag, stamp, Buffer::copy_of(own), soon(peer)).or_throw();
  group.receive_into(previous, kTag, {stamp, found.size_bytes()}, found, soon(peer)).or_throw();
  EXPECT_EQ(group.receive(previous, kOtherTag, soon(peer)).or_throw().payload.size(),
            found.size_bytes());
  lent.wait(soon(peer)).or_throw();
}

TEST_P(Endurance, MemoryAndDescriptorsAreFlat) {
  constexpr std::uint64_t kRounds = 20'000;
  constexpr std::uint64_t kWarm = 4'000;
  constexpr std::uint64_t kRoundsPerGroup = 10;  // 2,000 groups
  // Less than 1 KiB a round would be allowed; a leak of one small node a round is 64 bytes.
  constexpr std::size_t kGrowthMax = (kRounds - kWarm) * 64;
  run([](Peer& peer) {
    Random sizes(17);  // the same sizes everywhere
    std::vector<float> memory(8192, 1.0F);
    Group group = Group::everyone(peer);
    // One peer looks for all: to count the descriptors of the process opens one.
    const bool looks = group.rank() == 0;
    std::size_t resident_before = 0;
    std::size_t open_before = 0;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      if (round % kRoundsPerGroup == 0) {
        group = group.without({});
      }
      if (looks && round == kWarm) {
        resident_before = resident_bytes();
        open_before = entries_of("/proc/self/fd");
      }
      exchange(group, round, sizes, memory);
    }
    if (looks) {
      EXPECT_LT(resident_bytes(), resident_before + kGrowthMax);
      EXPECT_EQ(entries_of("/proc/self/fd"), open_before);
    }
    EXPECT_EQ(group.version(), kRounds / kRoundsPerGroup);
  });
}

TEST_P(Endurance, ActivitiesComeAndGo) {
  run([](Peer& peer) {
    for (int k = 0; k < 500; ++k) {
      peer.spawn("brief", [](Peer& self, std::stop_token) { self.clock().sleep_for(1us); })
          ->join(soon(peer))
          .or_throw();
      // Each peer and one activity of it, the main thread, and a sanitizer's own.
      ASSERT_LE(entries_of("/proc/self/task"), 2 * peers() + 2);
    }
  });
}

}  // namespace

}  // namespace starling::testing
