#include "starling/simulation/host_speeds.hpp"

#include <set>
#include <string>

#include "starling/core/error.hpp"
#include "starling/core/random.hpp"
#include "starling/core/text.hpp"
#include "starling/simulation/quantity.hpp"

namespace starling::simulation {

namespace {

/// A speed or a factor: positive, and not so far from 1 that virtual time loses its meaning.
std::optional<double> parse_factor(std::string_view text) {
  const auto number = parse_double(text);
  return number && *number >= 1e-6 && *number <= 1e6 ? number : std::nullopt;
}

[[noreturn]] void refuse_speeds(std::string_view text, std::size_t peers) {
  throw ConfigError("host speeds '" + std::string(text) + "': expected one positive number, " +
                    std::to_string(peers) + " of them joined by commas, or a range like 0.5..2");
}

std::vector<double> base_speeds(std::string_view text, std::size_t peers, std::uint64_t seed) {
  std::vector<double> speeds(peers, 1.0);
  if (text.empty()) {
    return speeds;
  }
  const std::size_t dots = text.find("..");
  if (dots != std::string_view::npos) {
    const auto least = parse_factor(text.substr(0, dots));
    const auto most = parse_factor(text.substr(dots + 2));
    if (!least || !most || *least > *most) {
      refuse_speeds(text, peers);
    }
    for (std::size_t rank = 0; rank < peers; ++rank) {
      Random random(stream_key(seed, rank), stream_key("simulation.speed"));
      speeds[rank] = *least + (*most - *least) * random.uniform();
    }
    return speeds;
  }
  const std::vector<std::string> parts = split(text, ',');
  if (parts.size() != 1 && parts.size() != peers) {
    refuse_speeds(text, peers);
  }
  for (std::size_t rank = 0; rank < peers; ++rank) {
    const auto speed = parse_factor(parts.size() == 1 ? parts[0] : parts[rank]);
    if (!speed) {
      refuse_speeds(text, peers);
    }
    speeds[rank] = *speed;
  }
  return speeds;
}

void slow_down(std::vector<double>& speeds, const std::string& rule, std::uint64_t seed) {
  const std::size_t cross = rule.find('x');
  const std::string whom = rule.substr(0, cross);
  const double factor =
      cross == std::string::npos ? 0.0 : parse_factor(rule.substr(cross + 1)).value_or(0.0);
  const auto share = whom.ends_with("%") ? parse_share(whom) : std::nullopt;
  const auto rank = parse_size(whom);
  if (factor <= 0 || (!share && (!rank || *rank >= speeds.size()))) {
    throw ConfigError("stragglers '" + rule + "': expected PEERxFACTOR with a peer from 0 to " +
                      std::to_string(speeds.size() - 1) +
                      ", like 11x10, or SHARE%xFACTOR, like 5%x4");
  }
  if (rank) {
    speeds[*rank] /= factor;
    return;
  }
  for (std::size_t peer = 0; peer < speeds.size(); ++peer) {
    Random random(stream_key(seed, peer), stream_key("simulation.straggler"));
    if (random.bernoulli(*share)) {
      speeds[peer] /= factor;
    }
  }
}

}  // namespace

std::vector<double> plan_speeds(std::string_view speeds,
                                std::string_view stragglers,
                                std::size_t peers,
                                std::uint64_t seed) {
  std::vector<double> planned = base_speeds(speeds, peers, seed);
  if (stragglers.empty()) {
    return planned;
  }
  std::set<std::string> given;
  for (const std::string& rule : split(stragglers, ',')) {
    slow_down(planned, rule, seed);
    // All shares are drawn alike: a larger one would hit the peers of a smaller one again.
    const auto rank = parse_size(rule.substr(0, rule.find('x')));
    const std::string whom = rank ? "peer " + std::to_string(*rank) : "a share";
    if (!given.insert(whom).second) {
      throw ConfigError("stragglers '" + std::string(stragglers) + "': " + whom +
                        " is given twice");
    }
  }
  return planned;
}

}  // namespace starling::simulation
