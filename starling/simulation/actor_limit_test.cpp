#include "starling/simulation/actor_limit.hpp"

#include <string>

#include <gmock/gmock.h>

#include "starling/core/error.hpp"
#include "starling/simulation/sim_world.hpp"

#include "tests/support/temp_directory.hpp"

namespace starling::simulation {

namespace {

using starling::testing::put_content;
using starling::testing::TempDirectory;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal_of(std::size_t actors, std::optional<std::size_t> left) {
  try {
    check_actors(actors, left);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

TEST(ActorLimit, IsWhatTheSystemAllowsLessWhatIsThere) {
  const TempDirectory folder;
  put_content(folder / "limit", "1000\n");
  put_content(folder / "maps", "a\nb\nc\n");
  EXPECT_EQ(mappings_left(folder / "limit", folder / "maps"), 1000U - 500U - 3U);
  put_content(folder / "limit", "10\n");
  EXPECT_EQ(mappings_left(folder / "limit", folder / "maps"), 0U);
  EXPECT_EQ(mappings_left(folder / "none", folder / "maps"), std::nullopt);
  EXPECT_EQ(mappings_left(folder / "limit", folder / "none"), std::nullopt);
}

TEST(ActorLimit, TwoMappingsAnActor) {
  EXPECT_EQ(refusal_of(10, 20), "");
  EXPECT_THAT(refusal_of(11, 21),
              AllOf(HasSubstr("peers: 11 simulated peers need 22 mappings"),
                    HasSubstr("vm.max_map_count leaves 21; use at most 10 peers")));
  EXPECT_EQ(refusal_of(1'000'000, std::nullopt), "");
}

/// SimGrid ends the process when it cannot protect a stack.
TEST(ActorLimit, AWorldThatCannotBeMadeIsRefused) {
  const auto left = mappings_left();
  if (!left || *left > 1'000'000) {
    GTEST_SKIP() << "no limit here";
  }
  EXPECT_THROW(SimWorld({.peers = *left / 2 + 1'000}), ConfigError);
}

}  // namespace

}  // namespace starling::simulation
