// Schedules written down row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "starling/topology/topology.hpp"

namespace starling::topology {

/// A periodic sequence of matrices given by all their rows; a fixed graph is a sequence of one. Its
/// traits are read off the rows, so they cannot be wrong.
class FixedRounds final : public Topology {
 public:
  /// @pre at least one round; every round has one row a rank, and what i expects from j is what j
  /// sends to i
  FixedRounds(std::string name, std::vector<std::vector<MixingRow>> rounds);

  [[nodiscard]] const std::string& name() const override { return name_; }

  [[nodiscard]] std::size_t size() const override { return rounds_.front().size(); }

  [[nodiscard]] Traits traits() const override { return traits_; }

  [[nodiscard]] std::uint64_t period() const override { return rounds_.size(); }

  [[nodiscard]] MixingRow row(std::uint64_t round, std::size_t rank) const override;

 private:
  std::string name_;
  std::vector<std::vector<MixingRow>> rounds_;
  Traits traits_;
};

}  // namespace starling::topology
