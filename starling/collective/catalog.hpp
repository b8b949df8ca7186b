// The table of exact collectives, and how one is named.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// Makes the schedule of one rank; pure. @pre the entry has nothing against the request
using Build = Schedule (*)(const Request&);

/// Why there is no schedule for a request ("an even number of peers is needed, found 7"); nothing
/// if there is one.
using Objection = std::optional<std::string> (*)(const Request&);

/// What a user may write behind the name; see Parameter.
struct Takes {
  bool dims = false;               ///< "4x4x4"
  std::size_t colors_an_axis = 0;  ///< "colors=2": at most, and if left out; 0: not to be chosen
  bool layout = false;             ///< "layout=split"
  bool weights = false;            ///< "weights=solved"
  bool segment = false;            ///< "segment=64KiB"
};

/// One of them in words.
struct Parameter {
  std::string name;  ///< "layout"
  std::string form;  ///< as it is written: "layout=relaxed|split"; extents without name: "AxBxC"
  std::string standard;  ///< what it is if left out: "relaxed"
  std::string meaning;

  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// One line of `starling list collectives`.
struct CatalogEntry {
  std::string name;     ///< "halving-doubling"
  std::string summary;  ///< one sentence
  std::string valid;    ///< for which n it exists
  Takes takes;
  std::array<Build, kOperations> builds{};    ///< by operation; null where it has none
  std::array<bool, kOperations> by_length{};  ///< whether the schedule depends on Request::elements
  Objection objection = nullptr;              ///< null: none to any request
  bool same_bits_everywhere = true;           ///< false: ranks may differ in the last bits of a sum

  [[nodiscard]] Build build(Operation operation) const {
    return builds[static_cast<std::size_t>(operation)];
  }

  [[nodiscard]] bool is_by_length(Operation operation) const {
    return by_length[static_cast<std::size_t>(operation)];
  }

  /// Why it cannot do what is requested, the operation included; nothing if it can.
  [[nodiscard]] std::optional<std::string> why_not(const Request& request) const;

  /// "all-reduce, all-gather".
  [[nodiscard]] std::string operations() const;

  /// What it takes, in the order in which it is told.
  [[nodiscard]] std::vector<Parameter> parameters() const;

  /// "AxBxC, colors=N"; empty if it takes nothing.
  [[nodiscard]] std::string parameter_forms() const;
};

std::span<const CatalogEntry> catalog();

/// Names of those that offer `operation`, in the order of the table.
std::vector<std::string> names_for(Operation operation);

/// An algorithm with the parameters a user gave.
struct Choice {
  const CatalogEntry* entry = nullptr;
  std::vector<std::size_t> dims;
  std::size_t colors = 0;
  Layout layout = Layout::relaxed;
  ColorWeights weights = ColorWeights::equal;
  std::size_t segment_bytes = 0;  ///< 0: kSegmentBytes where the algorithm pipelines

  /// Puts the parameters into `request`, with defaults for those left out.
  /// @param declared extents of the network's torus, if it is one
  void fill_in(Request& request,
               std::size_t element_bytes,
               std::span<const std::size_t> declared = {}) const;
};

inline constexpr std::size_t kSegmentBytes = std::size_t{64} << 10U;

/// "multiported-torus:4x4x4:colors=2".
/// @throws ConfigError for an unknown name (with the nearest one), one without this operation, or
/// parameters it does not take
Choice find_algorithm(std::string_view text, Operation operation);

/// The schedule of `request.rank`. @throws ConfigError with the entry's objection
Schedule make_schedule(const CatalogEntry& algorithm, const Request& request);

/// The schedules of all ranks, for checks and predictions. `request.rank` is not looked at.
std::vector<Schedule> schedules_of(const CatalogEntry& algorithm, Request request);

}  // namespace starling::collective
