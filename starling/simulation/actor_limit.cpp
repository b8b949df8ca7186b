#include "starling/simulation/actor_limit.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "starling/core/error.hpp"

namespace starling::simulation {

namespace {

constexpr std::size_t kMappingsOfActor = 2;

/// For data, plug-ins and threads that come later.
constexpr std::size_t kReserve = 500;

}  // namespace

std::optional<std::size_t> mappings_left(const std::filesystem::path& allowed,
                                         const std::filesystem::path& there) {
  std::ifstream limit(allowed);
  std::size_t most = 0;
  std::ifstream maps(there);
  if (!(limit >> most) || !maps) {
    return std::nullopt;
  }
  const auto used = static_cast<std::size_t>(
      std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n'));
  return most - std::min(most, used + kReserve);
}

void check_actors(std::size_t actors, std::optional<std::size_t> left) {
  if (!left || actors <= *left / kMappingsOfActor) {
    return;
  }
  throw ConfigError("peers: " + std::to_string(actors) + " simulated peers need " +
                    std::to_string(actors * kMappingsOfActor) +
                    " mappings of memory for their stacks, and vm.max_map_count leaves " +
                    std::to_string(*left) + "; use at most " +
                    std::to_string(*left / kMappingsOfActor) +
                    " peers, or raise it with sysctl vm.max_map_count");
}

}  // namespace starling::simulation
