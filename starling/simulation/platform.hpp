// Which network a run is simulated on: what a --platform text says, checked before anything starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "starling/core/time.hpp"

namespace starling::simulation {

/// A parsed platform. Texts are
///   lan, wan, torus:AxB, torus:AxBxC   each followed by any of :bandwidth=BITS and :latency=TIME,
///   the path of a SimGrid platform file.
/// BITS are bits per second ("1e9", "20M"), TIME is in seconds ("1e-6", "10us").
struct Platform {
  enum class Kind : std::uint8_t { lan, wan, torus, file };

  Kind kind = Kind::lan;
  std::vector<std::size_t> extents;  ///< of a torus
  std::string file;
  std::optional<double>
      bandwidth;                  ///< bits per second each way of a cable, in place of the default
  std::optional<double> latency;  ///< seconds between two hosts (torus: of one hop)
};

/// @throws ConfigError naming the nearest known name, or what is wrong with the file; a torus must
/// have exactly `peers` hosts
Platform parse_platform(std::string_view text, std::size_t peers);

/// Access of one host of a wan.
struct WanLink {
  double up = 0.0;       ///< bits per second
  double down = 0.0;     ///< bits per second
  double latency = 0.0;  ///< seconds; between two hosts passes the mean of theirs
};

/// The link of `host`: drawn from the seed, whatever the number of hosts.
WanLink draw_wan_link(const Platform& platform, std::uint64_t seed, std::size_t host);

/// What a message of `bytes` takes between two hosts when nobody else sends, mean over the hosts;
/// of a platform file, which only SimGrid understands, 0.
Duration typical_transfer(const Platform& platform,
                          std::size_t peers,
                          std::uint64_t seed,
                          std::size_t bytes);

/// Headers of TCP take the rest.
inline constexpr double kTcpShare = 0.97;

inline constexpr double kLanBandwidth = 1e9;
inline constexpr double kLanLatency = 1e-4;
inline constexpr double kTorusBandwidth = 10e9;
inline constexpr double kTorusLatency = 1e-6;

}  // namespace starling::simulation
