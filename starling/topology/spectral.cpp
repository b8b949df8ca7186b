#include "starling/topology/spectral.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "starling/core/ensure.hpp"

namespace starling::topology {

namespace {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A product of exact rounds differs from J by rounding only: some hundred additions of numbers
// below 1.
constexpr double kExact = 1e-12;

void require_within_limit(std::size_t size) {
  ensure(size >= 1 && size <= kSpectralLimit,
         "spectra are computed for 1 to kSpectralLimit peers",
         size);
}

Dense without_mean(const Matrix& matrix) {
  const auto n = static_cast<Eigen::Index>(matrix.size);
  const Eigen::Map<const Dense> view(matrix.entries.data(), n, n);
  return view.array() - 1.0 / static_cast<double>(matrix.size);
}

double largest_eigenvalue(const Dense& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Dense> solver(symmetric, Eigen::EigenvaluesOnly);
  return solver.eigenvalues().cwiseAbs().maxCoeff();
}

Matrix identity(std::size_t size) {
  Matrix matrix{size, std::vector<double>(size * size, 0.0)};
  for (std::size_t i = 0; i < size; ++i) {
    matrix.entries[i * size + i] = 1.0;
  }
  return matrix;
}

/// W(round) times the matrix, row by row: rounds are sparse.
Matrix mixed(const Topology& topology, std::uint64_t round, const Matrix& matrix) {
  const std::size_t n = matrix.size;
  Matrix result{n, std::vector<double>(n * n, 0.0)};
  for (std::size_t i = 0; i < n; ++i) {
    const MixingRow row = topology.row(round, i);
    const auto add = [&](std::size_t from, double weight) {
      for (std::size_t k = 0; k < n; ++k) {
        result.entries[i * n + k] += weight * matrix(from, k);
      }
    };
    add(i, row.self_weight);
    for (const Link& link : row.receives) {
      add(link.rank, link.weight);
    }
  }
  return result;
}

bool is_exact(const Matrix& product) {
  const double mean = 1.0 / static_cast<double>(product.size);
  return std::all_of(product.entries.begin(), product.entries.end(), [&](double entry) {
    return std::abs(entry - mean) <= kExact;
  });
}

void count_messages(const Topology& topology, Description& description) {
  const std::uint64_t rounds = std::max<std::uint64_t>(topology.period(), 1);
  std::uint64_t sent = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (std::size_t rank = 0; rank < topology.size(); ++rank) {
      const std::size_t sends = topology.row(round, rank).sends.size();
      description.sends_max = std::max(description.sends_max, sends);
      sent += sends;
    }
  }
  description.sends_mean =
      static_cast<double>(sent) / static_cast<double>(rounds * topology.size());
}

void measure_period(const Topology& topology, Description& description) {
  Matrix product = identity(topology.size());
  double largest = 0.0;
  for (std::uint64_t round = 0; round < topology.period(); ++round) {
    if (largest < 1.0 - kExact) {  // no norm of a doubly stochastic matrix is above 1
      largest = std::max(largest, consensus_norm(mixing_matrix(topology, round)));
    }
    product = mixed(topology, round, product);
    if (!description.exact_after && is_exact(product)) {
      description.exact_after = round + 1;
    }
  }
  const double norm = consensus_norm(product);
  description.round_norm = largest;
  description.period_norm = norm;
  description.rate = 1.0 - norm * norm;
}

}  // namespace

Matrix mixing_matrix(const Topology& topology, std::uint64_t round) {
  return mixing_product(topology, round, 1);
}

Matrix mixing_product(const Topology& topology, std::uint64_t first, std::uint64_t rounds) {
  require_within_limit(topology.size());
  Matrix product = identity(topology.size());
  for (std::uint64_t k = 0; k < rounds; ++k) {
    product = mixed(topology, first + k, product);
  }
  return product;
}

double consensus_norm(const Matrix& matrix) {
  require_within_limit(matrix.size);
  const Dense difference = without_mean(matrix);
  if (difference == difference.transpose()) {
    return largest_eigenvalue(difference);
  }
  // The mean is taken off before squaring: the root of the largest eigenvalue then has its full
  // digits.
  return std::sqrt(largest_eigenvalue(difference.transpose() * difference));
}

double expected_contraction(std::span<const Matrix> equally_likely) {
  ensure(!equally_likely.empty(), "an expectation is over at least one matrix");
  const std::size_t size = equally_likely.front().size;
  require_within_limit(size);
  const auto n = static_cast<Eigen::Index>(size);
  Dense sum = Dense::Zero(n, n);
  for (const Matrix& matrix : equally_likely) {
    ensure(matrix.size == size, "the matrices have one size", matrix.size, size);
    const Eigen::Map<const Dense> view(matrix.entries.data(), n, n);
    sum += view.transpose() * view;
  }
  sum /= static_cast<double>(equally_likely.size());
  sum.array() -= 1.0 / static_cast<double>(size);
  return largest_eigenvalue(sum);
}

Description describe(const Topology& topology) {
  Description description;
  description.name = topology.name();
  description.peers = topology.size();
  description.traits = topology.traits();
  description.period = topology.period();
  count_messages(topology, description);
  if (!description.traits.row_stochastic || !description.traits.column_stochastic) {
    return description;
  }
  if (topology.period() == 0) {
    if (const auto kept = topology.expected_contraction()) {
      description.rate = 1.0 - *kept;
    }
  } else if (topology.size() <= kSpectralLimit) {
    measure_period(topology, description);
  }
  return description;
}

std::optional<double> gap_of_round(const Description& description) {
  if (description.period == 0) {
    return description.rate ? std::optional(1.0 - std::sqrt(1.0 - *description.rate))
                            : std::nullopt;
  }
  if (description.period == 1) {
    return description.round_norm ? std::optional(1.0 - *description.round_norm) : std::nullopt;
  }
  if (description.exact_after) {
    return 1.0;  // the root of what rounding leaves would be far from 0
  }
  if (!description.period_norm) {
    return std::nullopt;
  }
  const double rounds = static_cast<double>(description.period);
  return 1.0 - std::pow(*description.period_norm, 1.0 / rounds);
}

}  // namespace starling::topology
