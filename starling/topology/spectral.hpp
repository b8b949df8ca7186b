// How fast a topology averages: norms of its matrices and of their products. J = 11^T/n throughout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "starling/topology/topology.hpp"

namespace starling::topology {

/// Above this many peers nothing is computed: a norm costs n^3, about a second at the limit.
inline constexpr std::size_t kSpectralLimit = 1024;

/// A square matrix, row after row.
struct Matrix {
  std::size_t size = 0;
  std::vector<double> entries;

  [[nodiscard]] double operator()(std::size_t i, std::size_t j) const {
    return entries[i * size + j];
  }
};

/// W(round).
Matrix mixing_matrix(const Topology& topology, std::uint64_t round);

/// W(first + rounds - 1) ... W(first + 1) W(first): what `rounds` rounds do together.
Matrix mixing_product(const Topology& topology, std::uint64_t first, std::uint64_t rounds);

/// beta = ||W - J||_2, the largest singular value: 0 averages exactly, 1 leaves some difference
/// untouched.
double consensus_norm(const Matrix& matrix);

/// 1 - p = ||E[W^T W] - J||_2 over equally likely matrices (arXiv:2003.10422); of one matrix:
/// beta^2.
/// @pre at least one matrix, all of one size
double expected_contraction(std::span<const Matrix> equally_likely);

/// What `starling list topologies --peers N` shows of one.
struct Description {
  std::string name;
  std::size_t peers = 0;
  Traits traits;
  std::uint64_t period = 0;   ///< 0: every round drawn anew
  std::size_t sends_max = 0;  ///< most messages a peer sends in a round
  double sends_mean = 0.0;    ///< messages a peer sends in a round, mean over peers and rounds
  std::optional<double> round_norm;   ///< largest beta of a round of the period
  std::optional<double> period_norm;  ///< ||product over the period - J||
  std::optional<double> rate;         ///< p per period; per round if drawn anew
  std::optional<std::uint64_t>
      exact_after;  ///< rounds from round 0 until the mean is exact, within a period
};

/// 1 - beta of a round, so that all topologies compare: beta of W where all rounds are alike, the
/// period-th root of the product's beta where a period has several rounds, sqrt(1 - p) where rounds
/// are drawn anew. Nothing where the norms are left out.
std::optional<double> gap_of_round(const Description& description);

/// Norms are left out where they mean nothing (W is not doubly stochastic), where they are unknown
/// (rounds drawn anew have no period) and above kSpectralLimit peers.
Description describe(const Topology& topology);

}  // namespace starling::topology
