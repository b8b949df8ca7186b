// The networks that can be simulated, as a table to list. Needs no SimGrid.
#pragma once

#include <array>
#include <string_view>

namespace starling {

struct PlatformEntry {
  std::string_view name;     ///< as it is typed
  std::string_view summary;  ///< one line
};

inline constexpr std::array<PlatformEntry, 4> kPlatformCatalog{{
    {"lan", "star of equal hosts: 1 Gbit/s each way, 0.1 ms between any two"},
    {"wan", "hosts of many kinds, drawn from the seed: 20-200 Mbit/s up and down, 10-100 ms"},
    {"torus:AxB[xC]", "cables between neighbours only, both ways at once: 10 Gbit/s, 1 us a hop"},
    {"FILE.xml", "a SimGrid platform file with at least as many hosts as there are peers"},
}};

}  // namespace starling
