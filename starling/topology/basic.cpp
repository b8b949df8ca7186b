#include "starling/topology/basic.hpp"

#include <numeric>

#include "starling/topology/circulant.hpp"

namespace starling::topology {

namespace {

Made make_circulant(const Request& request, const std::vector<std::size_t>& offsets) {
  return std::make_shared<Circulant>(
      request.name,
      request.peers,
      std::vector<std::vector<Shift>>{equal_shares(request.peers, offsets, request.weights)});
}

}  // namespace

Made make_full(const Request& request) {
  require_no_argument(request);
  std::vector<std::size_t> offsets(request.peers);
  std::iota(offsets.begin(), offsets.end(), std::size_t{0});
  return make_circulant(request, offsets);
}

Made make_ring(const Request& request) {
  require_no_argument(request);
  return make_circulant(request, {1, request.peers - 1});
}

Made make_star(const Request& request) {
  require_no_argument(request);
  Graph graph(request.peers);
  for (std::size_t leaf = 1; leaf < request.peers; ++leaf) {
    graph.add_edge(0, leaf);
  }
  return make_fixed(request, graph);
}

Made make_path(const Request& request) {
  require_no_argument(request);
  Graph graph(request.peers);
  for (std::size_t rank = 1; rank < request.peers; ++rank) {
    graph.add_edge(rank - 1, rank);
  }
  return make_fixed(request, graph);
}

}  // namespace starling::topology
