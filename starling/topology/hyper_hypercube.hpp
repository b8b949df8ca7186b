// Hyper-hypercubes: exact averages in a few rounds for n without large prime factors (Takezawa et
// al. 2023, arXiv:2305.11420, Alg. 1).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "starling/topology/family.hpp"

namespace starling::topology {

/// "hyper-hypercube:K". n = f_1 .. f_L with factors of at most K+1, taken greedily from K+1 down to
/// 2, in ascending order. In round j everybody averages uniformly with the f_j - 1 ranks that
/// differ in the j-th mixed-radix digit (stride f_1 .. f_{j-1}). Exact after L rounds. Refused
/// where n has a prime factor above K+1; without K: the least K for which it exists.
Made make_hyper_hypercube(const Request& request);

/// f_1 <= .. <= f_L; none for count = 1, nothing if a prime factor is above degree + 1.
/// @pre count >= 1
std::optional<std::vector<std::size_t>> hyper_factors(std::size_t count, std::size_t degree);

/// The ranks first, first + stride, ..: `count` of them.
struct Ranks {
  std::size_t first = 0;
  std::size_t stride = 1;
  std::size_t count = 0;

  [[nodiscard]] std::size_t at(std::size_t index) const { return first + index * stride; }

  /// `size` of them from `index` on.
  [[nodiscard]] Ranks part(std::size_t index, std::size_t size) const {
    return {at(index), stride, size};
  }
};

/// Appends round `round` of the hyper-hypercube over `ranks`.
/// @pre the factors multiply to ranks.count, round < factors.size()
void add_hyper_round(const Ranks& ranks,
                     const std::vector<std::size_t>& factors,
                     std::size_t round,
                     std::vector<Arc>& arcs);

}  // namespace starling::topology
