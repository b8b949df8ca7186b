#include "starling/topology/random_graph.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "starling/core/random.hpp"
#include "starling/core/text.hpp"

namespace starling::topology {

namespace {

constexpr int kAttempts = 100;  // draws before giving up on a connected graph

/// A graph of constant degree whose edges can be exchanged.
class RegularGraph {
 public:
  /// The circulant with offsets 1 .. K/2, and n/2 if K is odd. @pre K < n, K n even
  RegularGraph(std::size_t peers, std::size_t degree) : neighbours_(peers) {
    for (std::size_t rank = 0; rank < peers; ++rank) {
      for (std::size_t offset = 1; offset <= degree / 2; ++offset) {
        link(rank, (rank + offset) % peers);
      }
      if (degree % 2 == 1 && rank < peers / 2) {
        link(rank, rank + peers / 2);
      }
    }
  }

  /// Draws two edges a-b, c-d and makes them a-d, c-b unless that would double an edge or make a
  /// loop. Many such steps lead to every regular graph alike.
  void exchange_ends(Random& random) {
    auto& first = edges_[random.below(edges_.size())];
    auto& second = edges_[random.below(edges_.size())];
    if (random.bernoulli(0.5)) {
      std::swap(second.first, second.second);
    }
    const auto [a, b] = first;
    const auto [c, d] = second;
    if (a == d || c == b || are_linked(a, d) || are_linked(c, b)) {
      return;
    }
    replace(a, b, d);
    replace(b, a, c);
    replace(c, d, b);
    replace(d, c, a);
    first.second = d;
    second.second = b;
  }

  [[nodiscard]] std::size_t edges() const { return edges_.size(); }

  [[nodiscard]] Graph graph() const {
    Graph graph(neighbours_.size());
    for (const auto& [a, b] : edges_) {
      graph.add_edge(a, b);
    }
    return graph;
  }

 private:
  void link(std::size_t a, std::size_t b) {
    edges_.emplace_back(a, b);
    neighbours_[a].push_back(b);
    neighbours_[b].push_back(a);
  }

  [[nodiscard]] bool are_linked(std::size_t a, std::size_t b) const {
    const auto& ranks = neighbours_[a];
    return std::find(ranks.begin(), ranks.end(), b) != ranks.end();
  }

  void replace(std::size_t rank, std::size_t old_one, std::size_t new_one) {
    auto& ranks = neighbours_[rank];
    *std::find(ranks.begin(), ranks.end(), old_one) = new_one;
  }

  std::vector<std::vector<std::size_t>> neighbours_;
  std::vector<std::pair<std::size_t, std::size_t>> edges_;
};

Graph random_cycle(std::size_t peers, Random& random) {
  std::vector<std::size_t> order(peers);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(std::span(order));
  Graph graph(peers);
  for (std::size_t k = 0; k < peers; ++k) {
    graph.add_edge(order[k], order[(k + 1) % peers]);
  }
  return graph;
}

/// K of random-regular:K, refused where no connected graph has that degree.
std::size_t regular_degree(const Request& request) {
  const std::size_t n = request.peers;
  const std::string found = ", found " + std::to_string(n) + " peers";
  if (!request.argument) {
    return std::min<std::size_t>(4, n - 1);
  }
  const auto degree = parse_size(*request.argument);
  if (!degree || *degree == 0) {
    refuse(request, "expected a degree from 1, found '" + *request.argument + "'");
  }
  if (n == 1) {
    return 0;
  }
  if (*degree >= n) {
    refuse(request,
           "a degree is below the number of peers" + found +
               "; nearest: random-regular:" + std::to_string(n - 1));
  }
  if (*degree == 1 && n > 2) {
    refuse(request, "pairs are not connected" + found + "; nearest: random-regular:2, or 2 peers");
  }
  if (*degree % 2 == 1 && n % 2 == 1) {
    refuse(request,
           "an odd degree needs an even number of peers" + found + "; nearest: random-regular:" +
               std::to_string(*degree - 1) + ", or " + std::to_string(n + 1) + " peers");
  }
  return *degree;
}

double edge_probability(const Request& request, double usual) {
  if (!request.argument) {
    return usual;
  }
  const auto probability = parse_double(*request.argument);
  if (!probability || !(*probability > 0.0) || *probability > 1.0) {
    refuse(request,
           "expected a probability above 0 and at most 1, found '" + *request.argument + "'");
  }
  return *probability;
}

Graph drawn_edges(std::size_t peers, double probability, Random& random) {
  Graph graph(peers);
  for (std::size_t a = 0; a < peers; ++a) {
    for (std::size_t b = a + 1; b < peers; ++b) {
      if (random.bernoulli(probability)) {
        graph.add_edge(a, b);
      }
    }
  }
  return graph;
}

}  // namespace

Made make_random_regular(const Request& request) {
  const std::size_t degree = regular_degree(request);
  Random random(stream_key(stream_key("topology/random-regular"), request.seed));
  if (degree == 2) {
    return make_fixed(request, random_cycle(request.peers, random));
  }
  if (degree == 0) {
    return make_fixed(request, Graph(request.peers));
  }
  RegularGraph stirred(request.peers, degree);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    for (std::size_t k = 0; k < 10 * stirred.edges(); ++k) {
      stirred.exchange_ends(random);
    }
    const Graph graph = stirred.graph();
    if (!graph.cut_off()) {
      return make_fixed(request, graph);
    }
  }
  refuse(request,
         "no connected graph in " + std::to_string(kAttempts) +
             " draws; take another seed or a larger degree");
}

Made make_erdos_renyi(const Request& request) {
  const std::size_t n = request.peers;
  const double usual =
      std::min(1.0, 1.5 * static_cast<double>(ceil_log2(n)) / static_cast<double>(n));
  const double probability = edge_probability(request, usual);
  const std::uint64_t key = stream_key(stream_key("topology/erdos-renyi"), request.seed);
  for (std::uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
    Random random(key, attempt);
    const Graph graph = drawn_edges(n, probability, random);
    if (!graph.cut_off()) {
      return make_fixed(request, graph);
    }
  }
  std::ostringstream text;
  text << "no connected graph in " << kAttempts << " draws for " << n
       << " peers; a probability that usually gives one: erdos-renyi:" << usual;
  refuse(request, text.str());
}

}  // namespace starling::topology
