// With whom: who exchanges with whom in a round, and with which weights. Pure functions of
// (n, round, seed): every peer computes the same graph without a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starling::topology {

/// One directed exchange of a round.
struct Link {
  std::size_t rank = 0;  ///< the other end
  double weight = 0.0;

  friend bool operator==(const Link&, const Link&) = default;
};

/// What one peer does in one round of x_i <- sum_j w_ij x_j.
struct MixingRow {
  double self_weight = 1.0;    ///< w_ii
  std::vector<Link> receives;  ///< by rank, ascending: weight w_ij on what comes from j
  std::vector<Link> sends;     ///< by rank, ascending: weight w_ji that j puts on what goes to it

  [[nodiscard]] bool is_idle() const { return receives.empty() && sends.empty(); }

  friend bool operator==(const MixingRow&, const MixingRow&) = default;
};

/// What holds for every matrix of a topology.
struct Traits {
  bool symmetric = false;          ///< w_ij = w_ji: every exchange goes both ways
  bool row_stochastic = false;     ///< sum_j w_ij = 1: averaging keeps consensus
  bool column_stochastic = false;  ///< sum_i w_ij = 1: averaging keeps the mean
};

/// A schedule of mixing matrices W(round) over the ranks 0 .. size-1. Immutable and safe to share
/// between threads.
class Topology {
 public:
  Topology() = default;
  Topology(const Topology&) = delete;
  Topology(Topology&&) = delete;
  Topology& operator=(const Topology&) = delete;
  Topology& operator=(Topology&&) = delete;
  virtual ~Topology() = default;

  /// As the user writes it: "ring", "torus:4x4".
  [[nodiscard]] virtual const std::string& name() const = 0;

  [[nodiscard]] virtual std::size_t size() const = 0;

  [[nodiscard]] virtual Traits traits() const = 0;

  /// W(round + period) = W(round); 1 for a fixed graph, 0 if every round is drawn anew.
  [[nodiscard]] virtual std::uint64_t period() const = 0;

  /// Row `rank` of W(round), and the column entries this peer serves.
  /// @pre rank < size()
  [[nodiscard]] virtual MixingRow row(std::uint64_t round, std::size_t rank) const = 0;

  /// ||E[W^T W] - J||_2 of one round, J = 11^T/n, for a topology whose rounds are drawn anew and
  /// that knows it in closed form; nothing otherwise. The expected consensus rate is p = 1 minus
  /// this (arXiv:2003.10422).
  [[nodiscard]] virtual std::optional<double> expected_contraction() const { return std::nullopt; }
};

}  // namespace starling::topology
