// Schedules in which every rank does the same thing, shifted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "starling/topology/topology.hpp"
#include "starling/topology/weights.hpp"

namespace starling::topology {

/// Everybody sends to the rank `offset` further on (modulo n), with this weight.
struct Shift {
  std::size_t offset = 0;
  double weight = 0.0;

  friend bool operator==(const Shift&, const Shift&) = default;
};

/// A periodic sequence of circulant matrices: in round t rank i receives from i - offset and sends
/// to i + offset. Doubly stochastic by construction; holds only the shifts, so a row costs its
/// degree.
class Circulant final : public Topology {
 public:
  /// One list of shifts a round. Offsets are taken modulo n: equal ones merge, their weights added,
  /// and a share whose offset is 0 modulo n stays at home.
  /// @pre at least one round; weights positive, summing to at most 1 in each round
  Circulant(std::string name, std::size_t peers, std::vector<std::vector<Shift>> rounds);

  [[nodiscard]] const std::string& name() const override { return name_; }

  [[nodiscard]] std::size_t size() const override { return peers_; }

  [[nodiscard]] Traits traits() const override { return traits_; }

  [[nodiscard]] std::uint64_t period() const override { return rounds_.size(); }

  [[nodiscard]] MixingRow row(std::uint64_t round, std::size_t rank) const override;

 private:
  std::string name_;
  std::size_t peers_;
  std::vector<std::vector<Shift>> rounds_;  // by offset, ascending, all in 1 .. n-1
  Traits traits_;
};

/// The shifts of one round with equal shares 1/(d+1), d the number of distinct non-zero offsets
/// modulo n; half of that if lazy. Every other rule gives the same, for all degrees are equal.
std::vector<Shift> equal_shares(std::size_t peers,
                                const std::vector<std::size_t>& offsets,
                                WeightRule rule);

/// max over k = 1 .. n-1 of sum_d w_d cos(2 pi k d / n): the largest eigenvalue off the mean of
/// sum_d w_d (P_d + P_d^T)/2, P_d shifting by d. Costs n times the number of shifts. @pre peers >=
/// 2
double largest_cosine_sum(std::size_t peers, std::span<const Shift> shifts);

}  // namespace starling::topology
