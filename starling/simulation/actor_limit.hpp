// How many actors fit into a process: their stacks take mappings of memory, which the system
// counts.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace starling::simulation {

/// Mappings that a process may still make: those allowed (vm.max_map_count) less those there are.
/// Nothing where the system does not tell.
std::optional<std::size_t> mappings_left(
    const std::filesystem::path& allowed = "/proc/sys/vm/max_map_count",
    const std::filesystem::path& there = "/proc/self/maps");

/// Refuses more actors than `left` mappings are enough for: each takes one for its stack and one
/// for the guard below it. @throws ConfigError that names the limit
void check_actors(std::size_t actors, std::optional<std::size_t> left = mappings_left());

}  // namespace starling::simulation
