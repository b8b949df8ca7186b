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
/// the operation promises, made of everybody's contribution (of its source, if nothing is added).
/// @param request for the group: its rank is not looked at, its elements are the length of the
/// vector
/// @pre as many schedules as peers, at least one; root < peers
Verdict check(const Request& request, std::span<const Schedule> schedules);

}  // namespace starling::collective
