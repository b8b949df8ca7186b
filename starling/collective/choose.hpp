// Which algorithm "auto" means: the only place where one is chosen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "starling/collective/cost.hpp"
#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// A measured best: from `bytes_from` up to the next entry of the same operation and number of
/// peers.
struct MeasuredChoice {
  Operation operation = Operation::all_reduce;
  std::size_t peers = 2;
  std::size_t bytes_from = 0;
  std::string algorithm;
};

/// What a choice rests on. The same at all members.
struct Selection {
  LinkModel link;
  std::vector<MeasuredChoice> measured;  ///< goes before the model
};

/// What is to be done with how much.
struct Shape {
  Operation operation = Operation::all_reduce;
  std::size_t peers = 1;
  std::size_t elements = 0;  ///< length of the whole vector
  std::size_t element_bytes = sizeof(float);
  bool has_counts = false;  ///< parts of given lengths

  [[nodiscard]] std::size_t bytes() const { return elements * element_bytes; }
};

/// Name of the algorithm, in static memory. Pure: members with equal arguments choose alike.
/// @throws ConfigError if a measured choice names an algorithm that does not offer the operation
std::string_view choose(const Shape& shape, const Selection& selection);

/// Bytes below which rounds cost more than bytes: m_s of the rule in docs/collectives.md.
double short_vector_bytes(std::size_t peers, const LinkModel& link);

}  // namespace starling::collective
