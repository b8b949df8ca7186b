#include "starling/topology/bipartite.hpp"

#include <vector>

namespace starling::topology {

Made make_bipartite(const Request& request) {
  require_no_argument(request);
  const std::size_t n = request.peers;
  std::vector<std::size_t> offsets{1};
  for (std::size_t chord = 2; chord + 1 <= n; chord *= 2) {
    offsets.push_back(1 + chord);
  }
  Graph graph(n);
  for (std::size_t rank = 0; rank < n; ++rank) {
    for (const std::size_t offset : offsets) {
      const std::size_t other = (rank + offset) % n;
      if (rank % 2 != other % 2) {
        graph.add_edge(rank, other);
      }
    }
  }
  return make_fixed(request, graph);
}

}  // namespace starling::topology
