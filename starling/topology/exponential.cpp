#include "starling/topology/exponential.hpp"

#include <utility>

#include "starling/topology/circulant.hpp"

namespace starling::topology {

Made make_static_exponential(const Request& request) {
  require_no_argument(request);
  std::vector<std::size_t> offsets;
  for (std::size_t s = 0; s < ceil_log2(request.peers); ++s) {
    offsets.push_back(std::size_t{1} << s);
  }
  return std::make_shared<Circulant>(
      request.name,
      request.peers,
      std::vector<std::vector<Shift>>{equal_shares(request.peers, offsets, request.weights)});
}

Made make_one_peer_exponential(const Request& request) {
  require_no_argument(request);
  std::vector<std::vector<Shift>> rounds;
  for (std::size_t s = 0; s < ceil_log2(request.peers); ++s) {
    rounds.push_back(equal_shares(request.peers, {std::size_t{1} << s}, request.weights));
  }
  if (rounds.empty()) {
    rounds.emplace_back();
  }  // one peer: one idle round
  return std::make_shared<Circulant>(request.name, request.peers, std::move(rounds));
}

}  // namespace starling::topology
