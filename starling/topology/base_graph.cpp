#include "starling/topology/base_graph.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "starling/topology/hyper_hypercube.hpp"
#include "starling/topology/simple_base.hpp"

namespace starling::topology {

namespace {

using Arcs = std::vector<Arc>;

/// P = gcd(n, product of q^floor(log_q n) over q = 2 .. k+1): n without its primes above k+1.
std::size_t smooth_part(std::size_t n, std::size_t degree) {
  std::size_t rest = n;
  for (std::size_t q = 2; q <= degree + 1 && q <= rest; ++q) {
    while (rest % q == 0) {
      rest /= q;
    }
  }
  return n / rest;
}

/// Simple Base graphs over `sets` sets side by side, then hyper-hypercubes across them.
std::vector<Arcs> in_sets(std::size_t n, std::size_t sets, std::size_t degree) {
  const std::size_t set_size = n / sets;
  std::vector<Arcs> rounds;
  for (std::size_t set = 0; set < sets; ++set) {
    const auto inside = simple_base_rounds({.first = set * set_size, .count = set_size}, degree);
    rounds.resize(inside.size());
    for (std::size_t round = 0; round < inside.size(); ++round) {
      rounds[round].insert(rounds[round].end(), inside[round].begin(), inside[round].end());
    }
  }
  const auto factors = hyper_factors(sets, degree).value();
  for (std::size_t round = 0; round < factors.size(); ++round) {
    Arcs& arcs = rounds.emplace_back();
    for (std::size_t j = 0; j < set_size; ++j) {
      add_hyper_round({.first = j, .stride = set_size, .count = sets}, factors, round, arcs);
    }
  }
  return rounds;
}

}  // namespace

Made make_base(const Request& request) {
  const std::size_t n = request.peers;
  const std::size_t degree = std::min(degree_of(request, 1), std::max<std::size_t>(1, n - 1));
  require_own_weights(request);
  std::vector<Arcs> rounds = in_sets(n, smooth_part(n, degree), degree);
  std::vector<Arcs> simple = simple_base_rounds({.count = n}, degree);
  return make_arcs(request, std::move(simple.size() < rounds.size() ? simple : rounds));
}

}  // namespace starling::topology
