// What the conformance tests share: worlds by kind and size, and a few words for messages.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starling/core/buffer.hpp"
#include "starling/peer/peer.hpp"

#include "tests/support/worlds.hpp"

namespace starling::testing {

using namespace std::chrono_literals;

/// Runs on every kind of world at the sizes of the suite.
class OnWorlds : public ::testing::TestWithParam<std::tuple<Kind, std::size_t>> {
 protected:
  [[nodiscard]] static Kind kind() { return std::get<0>(GetParam()); }

  [[nodiscard]] static std::size_t peers() { return std::get<1>(GetParam()); }

  /// A world of the parameter's kind and size.
  static std::unique_ptr<World> world(WorldOptions options = {}) {
    options.peers = peers();
    return make_world(kind(), options);
  }

  /// Runs `body`; the run must end well.
  static RunReport run(const std::function<void(Peer&)>& body, const WorldOptions& options = {}) {
    RunReport report = world(options)->run(body);
    report.or_throw();
    return report;
  }
};

/// Instantiates `suite` on every kind of world with these numbers of peers.
#define STARLING_ON_WORLDS(suite, ...)                                                      \
  INSTANTIATE_TEST_SUITE_P(All,                                                             \
                           suite,                                                           \
                           ::testing::Combine(::testing::ValuesIn(all_kinds()),             \
                                              ::testing::Values<std::size_t>(__VA_ARGS__)), \
                           world_name)

inline std::string world_name(const ::testing::TestParamInfo<OnWorlds::ParamType>& info) {
  return to_string(std::get<0>(info.param)) + "_" + std::to_string(std::get<1>(info.param));
}

/// Long enough that it never passes in a test that is right.
inline Deadline soon(Peer& peer) {
  return peer.clock().in(30s);
}

inline constexpr Tag kTag{Purpose::user, 0};
inline constexpr Tag kOtherTag{Purpose::user, 1};

/// Returns when every peer has called it.
inline void meet(Peer& peer) {
  constexpr Tag kMeeting{Purpose::control, kLanesMax - 1};
  for (const PeerId other : peer.peers()) {
    if (other != peer.id()) {
      peer.send(other, kMeeting, {}, {}, soon(peer)).or_throw();
    }
  }
  for (const PeerId other : peer.peers()) {
    if (other != peer.id()) {
      peer.receive(other, kMeeting, soon(peer)).or_throw();
    }
  }
}

/// The failure of `result`; a failed assertion if it holds a value.
template <class T>
Failure failure_of(const Result<T>& result) {
  EXPECT_FALSE(result.has_value());
  return result ? Failure{} : result.error();
}

inline Stamp round_stamp(std::uint64_t round) {
  return {.round = round};
}

inline Buffer floats(std::initializer_list<float> values) {
  return Buffer::copy_of(std::span<const float>(values.begin(), values.size()));
}

inline std::span<const std::byte> bytes_of(std::span<const float> values) {
  return std::as_bytes(values);
}

inline PeerId next_of(const Peer& peer) {
  return {(peer.id().value + 1) % peer.peers().size()};
}

inline PeerId previous_of(const Peer& peer) {
  return {(peer.id().value + peer.peers().size() - 1) % peer.peers().size()};
}

}  // namespace starling::testing
