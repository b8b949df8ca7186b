#include "starling/simulation/quantity.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "starling/core/text.hpp"

namespace starling::simulation {

namespace {

constexpr double kSecondsMax = 100 * 365.25 * 86400;

using Unit = std::pair<std::string_view, double>;

// Longer names first: "ms" also ends in "s".
constexpr std::array<Unit, 4> kTimeUnits{{{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"s", 1.0}}};
constexpr std::array<Unit, 3> kBitUnits{{{"k", 1e3}, {"M", 1e6}, {"G", 1e9}}};

template <std::size_t N>
std::optional<double> parse_with(std::string_view text, const std::array<Unit, N>& units) {
  for (const auto& [name, scale] : units) {
    if (text.size() > name.size() && text.ends_with(name)) {
      const auto number = parse_double(text.substr(0, text.size() - name.size()));
      return number ? std::optional(*number * scale) : std::nullopt;
    }
  }
  return parse_double(text);
}

}  // namespace

std::optional<Duration> checked_seconds(double seconds) {
  if (!(seconds >= 0 && seconds <= kSecondsMax)) {
    return std::nullopt;
  }
  return from_seconds(seconds);
}

std::optional<Duration> parse_duration(std::string_view text) {
  const auto number = parse_with(text, kTimeUnits);
  return number ? checked_seconds(*number) : std::nullopt;
}

std::optional<double> parse_bandwidth(std::string_view text) {
  const auto number = parse_with(text, kBitUnits);
  return number && *number > 0 && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<double> parse_share(std::string_view text) {
  const bool percent = text.ends_with("%");
  if (percent) {
    text.remove_suffix(1);
  }
  const auto number = parse_double(text);
  if (!number) {
    return std::nullopt;
  }
  const double share = percent ? *number / 100 : *number;
  return share >= 0 && share <= 1 ? std::optional(share) : std::nullopt;
}

}  // namespace starling::simulation
