// The exact minimum of binary logistic regression, for measuring how far a method still is from it.
#pragma once

#include <cstddef>
#include <vector>

#include "starling/objective/dataset.hpp"
#include "starling/objective/logistic.hpp"

namespace starling::objective {

struct LogisticOptimum {
  std::vector<double> point;   ///< weights, then the bias if there is one: the layout of Logistic
  double loss = 0.0;           ///< f* = f(point), with the L2 term
  double gradient_norm = 0.0;  ///< what is left of it
  std::size_t iterations = 0;
};

/// Minimises the mean loss of Logistic over all samples of `data` by Newton's method with halved
/// steps, in double. Over the union of equal shards this is the mean of the peers' losses, f = 1/n
/// sum_i f_i. Costs O(samples * features^2) for each of about ten iterations: for up to some
/// hundred features.
/// @throws ConfigError if it does not converge: separable classes without an L2 term have no
/// minimum
/// @pre two classes
LogisticOptimum find_logistic_optimum(const Dataset& data, const LogisticOptions& options);

}  // namespace starling::objective
