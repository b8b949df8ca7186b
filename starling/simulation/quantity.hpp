// Numbers with units, as people type them in platforms and faults.
#pragma once

#include <optional>
#include <string_view>

#include "starling/core/time.hpp"

namespace starling::simulation {

/// "2s", "100ms", "1e-6", "5us", "3ns": a number of seconds unless a unit follows. Nothing if it is
/// no such thing, negative, or longer than a hundred years.
std::optional<Duration> parse_duration(std::string_view text);

/// "1e9", "20M", "1G", "64k": bits per second, positive.
std::optional<double> parse_bandwidth(std::string_view text);

/// "0.05", "5%": between 0 and 1.
std::optional<double> parse_share(std::string_view text);

/// Nearest nanosecond; nothing if it is not finite, negative or longer than a hundred years.
std::optional<Duration> checked_seconds(double seconds);

}  // namespace starling::simulation
