// The table of exact collectives.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// Makes the schedule of one rank; pure.
using Build = Schedule (*)(const Request&);

/// One line of `starling list collectives`.
struct CatalogEntry {
  std::string name;                         ///< "halving-doubling"
  std::string summary;                      ///< one sentence
  std::string valid;                        ///< for which n it exists
  std::array<Build, kOperations> builds{};  ///< by operation; null where it has none

  [[nodiscard]] Build build(Operation operation) const {
    return builds[static_cast<std::size_t>(operation)];
  }

  /// "all-reduce, all-gather".
  [[nodiscard]] std::string operations() const;
};

std::span<const CatalogEntry> catalog();

/// Names of those that offer `operation`, in the order of the table.
std::vector<std::string> names_for(Operation operation);

/// @throws ConfigError for an unknown name (with the nearest one) or one without this operation
const CatalogEntry& find_algorithm(std::string_view name, Operation operation);

/// The schedules of all ranks, for checks and predictions. `request.rank` is not looked at.
std::vector<Schedule> schedules_of(const CatalogEntry& algorithm, Request request);

}  // namespace starling::collective
