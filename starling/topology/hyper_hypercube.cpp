#include "starling/topology/hyper_hypercube.hpp"

#include <algorithm>
#include <utility>

#include "starling/core/ensure.hpp"

namespace starling::topology {

namespace {

/// f_1 .. f_{round-1}
std::size_t stride_of(const std::vector<std::size_t>& factors, std::size_t round) {
  std::size_t stride = 1;
  for (std::size_t k = 0; k < round; ++k) {
    stride *= factors[k];
  }
  return stride;
}

/// Rows are worked out when they are asked for: a prime n is a full graph.
class HyperHypercube final : public Topology {
 public:
  HyperHypercube(const Request& request, std::vector<std::size_t> factors)
      : name_(request.name),
        peers_(request.peers),
        scale_(request.weights == WeightRule::lazy ? 0.5 : 1.0),
        factors_(std::move(factors)) {}

  [[nodiscard]] const std::string& name() const override { return name_; }

  [[nodiscard]] std::size_t size() const override { return peers_; }

  [[nodiscard]] Traits traits() const override {
    return {.symmetric = true, .row_stochastic = true, .column_stochastic = true};
  }

  [[nodiscard]] std::uint64_t period() const override {
    return std::max<std::uint64_t>(1, factors_.size());
  }

  [[nodiscard]] MixingRow row(std::uint64_t round, std::size_t rank) const override {
    ensure(rank < peers_, "a row belongs to a rank", rank, peers_);
    if (factors_.empty()) {
      return {};
    }
    const std::size_t j = round % factors_.size();
    const std::size_t stride = stride_of(factors_, j);
    const std::size_t factor = factors_[j];
    const std::size_t lowest = rank - rank / stride % factor * stride;
    MixingRow row;
    for (std::size_t digit = 0; digit < factor; ++digit) {
      const std::size_t other = lowest + digit * stride;
      if (other != rank) {
        row.receives.push_back({other, scale_ / static_cast<double>(factor)});
      }
    }
    row.sends = row.receives;
    row.self_weight = remainder_of(row.receives);
    return row;
  }

 private:
  std::string name_;
  std::size_t peers_;
  double scale_;
  std::vector<std::size_t> factors_;
};

std::size_t largest_prime_factor(std::size_t n) {
  std::size_t largest = 1;
  for (std::size_t f = 2; f * f <= n; ++f) {
    while (n % f == 0) {
      largest = f;
      n /= f;
    }
  }
  return std::max(largest, n);
}

/// The next count below or above n that has no prime factor above degree + 1. @pre degree >= 1
std::string nearest(std::size_t n, std::size_t degree) {
  std::size_t below = n - 1;
  while (!hyper_factors(below, degree)) {
    --below;
  }
  std::size_t above = n + 1;
  while (!hyper_factors(above, degree)) {
    ++above;
  }
  return std::to_string(below) + ", " + std::to_string(above);
}

}  // namespace

std::optional<std::vector<std::size_t>> hyper_factors(std::size_t count, std::size_t degree) {
  ensure(count >= 1, "factors of at least one rank", count);
  std::vector<std::size_t> factors;
  for (std::size_t f = std::min(degree, count - 1) + 1; f >= 2; --f) {
    while (count % f == 0) {
      factors.push_back(f);
      count /= f;
    }
  }
  if (count != 1) {
    return std::nullopt;
  }
  std::reverse(factors.begin(), factors.end());
  return factors;
}

void add_hyper_round(const Ranks& ranks,
                     const std::vector<std::size_t>& factors,
                     std::size_t round,
                     std::vector<Arc>& arcs) {
  ensure(round < factors.size(), "a round of the cycle", round, factors.size());
  const std::size_t stride = stride_of(factors, round);
  const std::size_t factor = factors[round];
  const double share = 1.0 / static_cast<double>(factor);
  for (std::size_t index = 0; index < ranks.count; ++index) {
    const std::size_t lowest = index - index / stride % factor * stride;
    for (std::size_t digit = 0; digit < factor; ++digit) {
      const std::size_t other = lowest + digit * stride;
      if (other != index) {
        arcs.push_back({ranks.at(other), ranks.at(index), share});
      }
    }
  }
}

Made make_hyper_hypercube(const Request& request) {
  const std::size_t n = request.peers;
  const std::size_t least = largest_prime_factor(n) - 1;
  const std::size_t degree = degree_of(request, std::max<std::size_t>(1, least));
  auto factors = hyper_factors(n, degree);
  if (!factors) {
    const std::string argument = std::to_string(degree);
    refuse(request,
           "expected peers without a prime factor above K+1, found " + std::to_string(n) +
               " with factor " + std::to_string(least + 1) + "; nearest: " + nearest(n, degree) +
               "; base:" + argument + " takes any number with at most " + argument +
               " neighbours, K from " + std::to_string(least) + " on takes " + std::to_string(n));
  }
  return std::make_shared<HyperHypercube>(request, *std::move(factors));
}

}  // namespace starling::topology
