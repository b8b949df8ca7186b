#include "starling/topology/hypercube.hpp"

#include <bit>
#include <vector>

namespace starling::topology {

namespace {

std::size_t dimensions(const Request& request) {
  require_no_argument(request);
  if (!std::has_single_bit(request.peers)) {
    const std::size_t below = std::bit_floor(request.peers);
    refuse(request,
           "expected a power of two of peers, found " + std::to_string(request.peers) +
               "; nearest: " + std::to_string(below) + ", " + std::to_string(2 * below));
  }
  return ceil_log2(request.peers);
}

void add_dimension(Graph& graph, std::size_t dimension) {
  for (std::size_t rank = 0; rank < graph.size(); ++rank) {
    graph.add_edge(rank, rank ^ (std::size_t{1} << dimension));
  }
}

}  // namespace

Made make_hypercube(const Request& request) {
  Graph graph(request.peers);
  for (std::size_t dimension = 0; dimension < dimensions(request); ++dimension) {
    add_dimension(graph, dimension);
  }
  return make_fixed(request, graph);
}

Made make_one_peer_hypercube(const Request& request) {
  std::vector<Graph> graphs;
  for (std::size_t dimension = 0; dimension < dimensions(request); ++dimension) {
    add_dimension(graphs.emplace_back(request.peers), dimension);
  }
  if (graphs.empty()) {
    graphs.emplace_back(request.peers);
  }  // one peer: one idle round
  return make_rounds(request, graphs);
}

}  // namespace starling::topology
