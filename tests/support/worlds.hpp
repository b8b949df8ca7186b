// Worlds for tests: the same test runs on threads and in simulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "starling/core/event.hpp"
#include "starling/core/time.hpp"
#include "starling/peer/world.hpp"

namespace starling::testing {

enum class Kind { threads, simulation };

/// The kinds this build has.
std::vector<Kind> all_kinds();

std::string to_string(Kind kind);

struct WorldOptions {
  std::size_t peers = 1;
  std::uint64_t seed = 7;
  Observer* observer = nullptr;
  Duration slow_warning = std::chrono::seconds(5);
  std::string platform = "lan";  ///< simulation
  std::size_t byte_scale = 1;    ///< simulation
};

std::unique_ptr<World> make_world(Kind kind, const WorldOptions& options);

}  // namespace starling::testing
