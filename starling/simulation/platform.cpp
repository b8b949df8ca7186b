#include "starling/simulation/platform.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <system_error>

#include "starling/core/error.hpp"
#include "starling/core/random.hpp"
#include "starling/core/regular_file.hpp"
#include "starling/core/text.hpp"
#include "starling/simulation/quantity.hpp"

namespace starling::simulation {

namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& finding) {
  throw ConfigError("platform '" + std::string(text) + "': " + finding);
}

std::vector<std::size_t> parse_extents(std::string_view text,
                                       std::string_view extents,
                                       std::size_t peers) {
  std::vector<std::size_t> found;
  std::size_t hosts = 1;
  for (const std::string& part : split(extents, 'x')) {
    const auto extent = parse_size(part);
    if (!extent || *extent == 0 || *extent > 1'000'000) {
      refuse(text, "expected extents like 4x4x4, found '" + std::string(extents) + "'");
    }
    found.push_back(*extent);
    hosts *= *extent;
    if (hosts > 1'000'000) {
      refuse(text, "more than a million hosts");
    }
  }
  if (hosts != peers) {
    refuse(text,
           "the torus has " + std::to_string(hosts) + " hosts, the run " + std::to_string(peers) +
               " peers; they must be equal");
  }
  return found;
}

void parse_setting(std::string_view text, std::string_view setting, Platform& platform) {
  static const std::vector<std::string> keys{"bandwidth", "latency"};
  const std::size_t equals = setting.find('=');
  const std::string key(setting.substr(0, equals));
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view{} : setting.substr(equals + 1);
  const bool is_set = (key == "bandwidth" && platform.bandwidth.has_value()) ||
                      (key == "latency" && platform.latency.has_value());
  if (is_set) {
    refuse(text, "'" + key + "' is given twice");
  }
  if (key == "bandwidth") {
    platform.bandwidth = parse_bandwidth(value);
    if (platform.bandwidth) {
      return;
    }
    refuse(
        text,
        "expected bandwidth=BITS per second like 1e9 or 20M, found '" + std::string(setting) + "'");
  }
  if (key == "latency") {
    if (const auto latency = parse_duration(value)) {
      platform.latency = seconds(*latency);
      return;
    }
    refuse(text, "expected latency=TIME like 10us or 0.001, found '" + std::string(setting) + "'");
  }
  refuse(text, "unknown setting '" + key + "'" + suggestion(key, keys));
}

// In the order of Platform::Kind.
constexpr std::array<const char*, 3> kNames{"lan", "wan", "torus"};

std::optional<Platform::Kind> kind_named(const std::string& name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    return std::nullopt;
  }
  return static_cast<Platform::Kind>(found - kNames.begin());
}

/// What SimGrid would take but would change under a run, or across the runs of a process.
void check_file(const std::string& path) {
  constexpr std::size_t kBytesMax = std::size_t{256} << 20U;  // a million hosts fit in
  std::string wrong;
  const auto content = read_regular_file(path, kBytesMax, wrong);
  if (!content) {
    refuse(path, wrong);
  }
  const std::string& text = *content;
  for (const char* banned : {"<config", "state_file", "state_trace", "HOST_AVAIL", "LINK_AVAIL"}) {
    if (text.find(banned) != std::string::npos) {
      refuse(path,
             std::string("holds '") + banned +
                 "'; hosts and links that fail belong into a faults file, "
                 "settings of the simulator are fixed (docs/simulation.md): take it out");
    }
  }
  const auto holds = [&](const char* word) { return text.find(word) != std::string::npos; };
  if (holds("\"Full\"") && !holds("<route") && !holds("<zoneRoute")) {  // SimGrid would crash
    refuse(path, "has a zone of routing \"Full\" but no route");
  }
}

}  // namespace

Platform parse_platform(std::string_view text, std::size_t peers) {
  const std::vector<std::string> parts = split(text, ':');
  Platform platform;
  const auto kind = kind_named(parts.front());
  std::error_code ignored;  // then it is no file, but a name
  if (!kind && (text.ends_with(".xml") || std::filesystem::is_regular_file(text, ignored))) {
    platform.kind = Platform::Kind::file;
    platform.file = text;
    check_file(platform.file);
    return platform;
  }
  if (!kind) {
    const std::vector<std::string> names(kNames.begin(), kNames.end());
    refuse(text,
           "unknown platform '" + parts.front() + "'" + suggestion(parts.front(), names) +
               " (or the path of a SimGrid platform file)");
  }
  platform.kind = *kind;
  std::size_t settings_from = 1;
  if (platform.kind == Platform::Kind::torus) {
    if (parts.size() < 2) {
      refuse(text, "expected extents, like torus:4x4x4");
    }
    platform.extents = parse_extents(text, parts[1], peers);
    settings_from = 2;
  }
  for (const std::string& setting : std::span(parts).subspan(settings_from)) {
    parse_setting(text, setting, platform);
  }
  return platform;
}

WanLink draw_wan_link(const Platform& platform, std::uint64_t seed, std::size_t host) {
  Random random(stream_key(seed, host), stream_key("simulation.wan"));
  WanLink link;
  link.up = 20e6 + 180e6 * random.uniform();
  link.down = 20e6 + 180e6 * random.uniform();
  link.latency = 0.010 + 0.090 * random.uniform();
  if (platform.bandwidth) {
    link.up = link.down = *platform.bandwidth;
  }
  if (platform.latency) {
    link.latency = *platform.latency;
  }
  return link;
}

Duration typical_transfer(const Platform& platform,
                          std::size_t peers,
                          std::uint64_t seed,
                          std::size_t bytes) {
  const double bits = 8.0 * static_cast<double>(bytes);
  const double latency = platform.latency.value_or(
      platform.kind == Platform::Kind::torus ? kTorusLatency : kLanLatency);
  switch (platform.kind) {
    case Platform::Kind::lan:
      return from_seconds(latency +
                          bits / (kTcpShare * platform.bandwidth.value_or(kLanBandwidth)));
    case Platform::Kind::torus:
      return from_seconds(latency + bits / platform.bandwidth.value_or(kTorusBandwidth));
    case Platform::Kind::wan: {
      double sum = 0.0;
      for (std::size_t host = 0; host < peers; ++host) {
        const WanLink link = draw_wan_link(platform, seed, host);
        sum += link.latency + bits / (kTcpShare * std::min(link.up, link.down));
      }
      return from_seconds(sum / static_cast<double>(peers));
    }
    case Platform::Kind::file:
      break;
  }
  return {};
}

}  // namespace starling::simulation
