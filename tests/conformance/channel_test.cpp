// Messages between peers: order, matching, payloads of every size, bounds.
#include "tests/conformance/on_worlds.hpp"

namespace starling::testing {

namespace {

using Channel = OnWorlds;

TEST_P(Channel, KeepsOrderPerTag) {
  run([](Peer& peer) {
    constexpr std::uint64_t kMessages = 200;
    const auto reader = [&] {
      for (std::uint64_t k = 0; k < kMessages; ++k) {
        const Message message = peer.receive(previous_of(peer), kTag, soon(peer)).or_throw();
        EXPECT_EQ(message.from, previous_of(peer));
        EXPECT_EQ(message.stamp.round, k);
        ASSERT_EQ(message.payload.values().size(), 1U);
        EXPECT_EQ(message.payload.values()[0], static_cast<float>(k));
      }
    };
    const auto writer = [&](Peer& self, std::stop_token) {
      for (std::uint64_t k = 0; k < kMessages; ++k) {
        self.send(next_of(self), kTag, round_stamp(k), floats({static_cast<float>(k)}), soon(self))
            .or_throw();
      }
    };
    const auto activity = peer.spawn("writer", writer);
    reader();
    activity->join(soon(peer)).or_throw();
  });
}

INSTANTIATE_TEST_SUITE_P(All,
                         Channel,
                         ::testing::Combine(::testing::ValuesIn(all_kinds()),
                                            ::testing::Values(2, 3, 5, 9)),
                         world_name);

}  // namespace

}  // namespace starling::testing
