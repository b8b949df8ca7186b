#include "starling/topology/null_cascade.hpp"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "starling/topology/circulant.hpp"

namespace starling::topology {

namespace {

/// Largest first.
std::vector<std::size_t> primes_of(std::size_t n) {
  std::vector<std::size_t> primes;
  for (std::size_t f = 2; n > 1; ++f) {
    if (f * f > n) {
      f = n;
    }
    while (n % f == 0) {
      primes.insert(primes.begin(), f);
      n /= f;
    }
  }
  return primes;
}

/// Weight 1/f at every multiple of `step`.
std::vector<Shift> uniform_round(std::size_t f, std::size_t step) {
  std::vector<Shift> shifts;
  for (std::size_t j = 1; j < f; ++j) {
    shifts.push_back({j * step, 1.0 / static_cast<double>(f)});
  }
  return shifts;
}

/// The round that takes frequencies t and f - t of a prime f > 3 to zero: 2 cos(theta) is what
/// offset m makes of them, and with theta beyond a quarter turn all weights are positive.
std::vector<Shift> null_round(std::size_t n, std::size_t f, std::size_t t, std::size_t step) {
  std::size_t multiple = 1;  // m'
  while (4 * (multiple * t % f) <= f || 4 * (multiple * t % f) >= 3 * f) {
    ++multiple;
  }
  const double theta =
      2.0 * std::numbers::pi * static_cast<double>(multiple * t % f) / static_cast<double>(f);
  const double weight = 1.0 / (2.0 - 2.0 * std::cos(theta));
  return {{multiple * step, weight}, {n - multiple * step, weight}};
}

}  // namespace

Made make_null_cascade(const Request& request) {
  require_no_argument(request);
  require_own_weights(request);
  const std::size_t n = request.peers;
  std::vector<std::vector<Shift>> rounds;
  std::size_t done = 1;  // b
  for (const std::size_t f : primes_of(n)) {
    const std::size_t step = n / (f * done);
    if (f <= 3) {
      rounds.push_back(uniform_round(f, step));
    }
    for (std::size_t t = 1; f > 3 && t <= f / 2; ++t) {
      rounds.push_back(null_round(n, f, t, step));
    }
    done *= f;
  }
  if (rounds.empty()) {
    rounds.emplace_back();
  }  // one peer: one idle round
  if (request.weights == WeightRule::lazy) {
    for (auto& shifts : rounds) {
      for (Shift& shift : shifts) {
        shift.weight *= 0.5;
      }
    }
  }
  return std::make_shared<Circulant>(request.name, n, std::move(rounds));
}

}  // namespace starling::topology
