// Proves the schedules of all ranks together, without any transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// What one rank sends, or one directed pair of ranks carries.
struct Traffic {
  std::size_t messages = 0;
  std::size_t blocks = 0;
  std::size_t elements = 0;

  friend bool operator==(const Traffic&, const Traffic&) = default;
};

struct Verdict {
  std::optional<std::string> flaw;  ///< the first one found; nothing: the schedules are right
  std::vector<Traffic> sent;        ///< by rank
  std::map<std::pair<std::size_t, std::size_t>, Traffic> links;  ///< by (from, to)
};

/// Plays `schedules` (by rank) on sets of contributions. Right means: every message is sent and
/// received in the same round with the same blocks, so nobody waits for ever; lanes share no block;
/// no contribution is added twice; a mean is scaled exactly once; at the end every rank holds what
/// `operation` promises, made of everybody's contribution. `elements` is the length of the vector,
/// for the traffic.
/// @pre schedules is not empty; root < schedules.size()
Verdict check(Operation operation,
              std::span<const Schedule> schedules,
              std::size_t elements,
              std::size_t root = 0);

}  // namespace starling::collective
