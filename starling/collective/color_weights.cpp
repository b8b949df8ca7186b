#include "starling/collective/color_weights.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

using Row = std::vector<double>;

/// Row k, column c: what the links of axis k carry of a vector that starts on axis c; the last
/// column is what they shall carry.
std::vector<Row> load_equations(std::span<const std::size_t> dims, std::span<const double> shares) {
  const std::size_t axes = dims.size();
  std::vector<Row> rows(axes, Row(axes + 1, 1.0));
  for (std::size_t c = 0; c < axes; ++c) {
    double window = 1.0;
    for (std::size_t r = 0; r < axes; ++r) {
      const std::size_t k = (c + r) % axes;
      rows[k][c] = shares[k] * window;
      window /= static_cast<double>(dims[k]);
    }
  }
  return rows;
}

/// Gauss and Jordan with row pivots, in an order that is the same on every machine: the weights
/// decide where regions end. Nothing if the equations are singular.
std::optional<std::vector<double>> solve(std::vector<Row> rows) {
  constexpr double kSmallestPivot = 1e-12;
  const std::size_t n = rows.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < n; ++row) {
      if (std::abs(rows[row][k]) > std::abs(rows[pivot][k])) {
        pivot = row;
      }
    }
    std::swap(rows[k], rows[pivot]);
    if (std::abs(rows[k][k]) < kSmallestPivot) {
      return std::nullopt;
    }
    for (std::size_t row = 0; row < n; ++row) {
      if (row == k) {
        continue;
      }
      const double factor = rows[row][k] / rows[k][k];
      for (std::size_t column = k; column <= n; ++column) {
        rows[row][column] -= factor * rows[k][column];
      }
    }
  }
  std::vector<double> solution(n);
  for (std::size_t k = 0; k < n; ++k) {
    solution[k] = rows[k][n] / rows[k][k];
  }
  return solution;
}

}  // namespace

std::vector<double> axis_weights(ColorWeights kind,
                                 std::span<const std::size_t> dims,
                                 std::span<const double> shares) {
  ensure(!dims.empty() && dims.size() == shares.size(),
         "every axis has a share",
         dims.size(),
         shares.size());
  std::vector<double> equal(dims.size(), 1.0 / static_cast<double>(dims.size()));
  const auto all_alike = [](const auto& values) {
    return std::all_of(
        values.begin(), values.end(), [&](const auto& value) { return value == values.front(); });
  };
  if (kind == ColorWeights::equal || (all_alike(dims) && all_alike(shares))) {
    return equal;
  }
  auto weights = solve(load_equations(dims, shares));
  if (!weights) {
    return equal;
  }
  double sum = 0.0;
  for (const double weight : *weights) {
    sum += weight;
  }
  for (double& weight : *weights) {
    weight /= sum;
    if (!(weight >= 0.0)) {
      return equal;
    }
  }
  return *weights;
}

std::vector<double> one_way_shares(std::span<const std::size_t> dims) {
  std::vector<double> shares;
  for (const std::size_t extent : dims) {
    shares.push_back(1.0 - 1.0 / static_cast<double>(extent));
  }
  return shares;
}

std::vector<double> half_way_shares(std::span<const std::size_t> dims) {
  std::vector<double> shares;
  for (const std::size_t extent : dims) {
    const std::size_t half = extent / 2;
    shares.push_back(2.0 * static_cast<double>(half) / static_cast<double>(extent));
  }
  return shares;
}

}  // namespace starling::collective
