#include "starling/topology/k_peer_exponential.hpp"

#include <algorithm>
#include <utility>

#include "starling/topology/circulant.hpp"

namespace starling::topology {

Made make_k_peer_exponential(const Request& request) {
  const std::size_t n = request.peers;
  const std::size_t base = std::min(degree_of(request, 2), n - 1) + 1;  // k + 1
  std::vector<std::vector<Shift>> rounds;
  for (std::size_t step = 1; base >= 2 && step <= n / base; step *= base) {
    std::vector<std::size_t> offsets;  // j (k+1)^l < (k+1)^(l+1) <= n: all distinct
    for (std::size_t j = 1; j < base; ++j) {
      offsets.push_back(j * step);
    }
    rounds.push_back(equal_shares(n, offsets, request.weights));
  }
  if (rounds.empty()) {
    rounds.emplace_back();
  }  // one peer: one idle round
  return std::make_shared<Circulant>(request.name, n, std::move(rounds));
}

}  // namespace starling::topology
