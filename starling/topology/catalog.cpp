#include "starling/topology/catalog.hpp"

#include <vector>

#include "starling/core/error.hpp"
#include "starling/core/text.hpp"
#include "starling/topology/base_graph.hpp"
#include "starling/topology/basic.hpp"
#include "starling/topology/bipartite.hpp"
#include "starling/topology/edge_list.hpp"
#include "starling/topology/equitopo.hpp"
#include "starling/topology/exponential.hpp"
#include "starling/topology/family.hpp"
#include "starling/topology/hyper_hypercube.hpp"
#include "starling/topology/hypercube.hpp"
#include "starling/topology/k_peer_exponential.hpp"
#include "starling/topology/lattice.hpp"
#include "starling/topology/matching.hpp"
#include "starling/topology/null_cascade.hpp"
#include "starling/topology/random_graph.hpp"
#include "starling/topology/simple_base.hpp"

namespace starling::topology {

namespace {

struct Family {
  CatalogEntry entry;
  Made (*make)(const Request& request);
};

/// The one table: what the program lists and what make_topology() looks up.
// NOLINTNEXTLINE(readability-function-size): a table
const std::vector<Family>& families() {
  static const std::vector<Family> table{
      {{"full", "everybody with everybody: the exact mean in one round", "any n", "full"},
       make_full},
      {{"ring", "i with i-1 and i+1", "any n", "ring"}, make_ring},
      {{"star", "rank 0 with everybody else", "any n", "star"}, make_star},
      {{"path", "a ring cut open between the last rank and rank 0", "any n", "path"}, make_path},
      {{"grid:AxB or grid:AxBxC",
        "neighbours along two or three axes with open ends",
        "extents multiply to n; 'grid' alone: any n but primes above 3",
        "grid"},
       make_grid},
      {{"torus:AxB or torus:AxBxC",
        "a grid whose axes close to rings",
        "extents multiply to n; 'torus' alone: any n but primes above 3",
        "torus"},
       make_torus},
      {{"hypercube", "ranks that differ in one binary digit", "n a power of two", "hypercube"},
       make_hypercube},
      {{"one-peer-hypercube",
        "one partner a round: i XOR 2^s, s = round mod log2 n",
        "n a power of two",
        "one-peer-hypercube"},
       make_one_peer_hypercube},
      {{"static-exponential",
        "receive from i-1, i-2, i-4, ... in every round",
        "any n",
        "static-exponential"},
       make_static_exponential},
      {{"exponential:ORDER",
        "one peer a round: send to i+2^s, receive from i-2^s; s cyclic, permutation or uniform",
        "any n; exact after log2 n rounds if n is a power of two; without ORDER: cyclic",
        "exponential"},
       make_one_peer_exponential},
      {{"k-peer-exponential:K",
        "receive from i-j(K+1)^l, j = 1..K, l = round mod floor(log n), logarithm to base K+1",
        "any n; exact after a cycle if n is a power of K+1; without K: 2",
        "k-peer-exponential"},
       make_k_peer_exponential},
      {{"hyper-hypercube:K",
        "the ranks that differ in one mixed-radix digit, a digit a round, at most K of them",
        "n without prime factors above K+1; without K: the least one for n",
        "hyper-hypercube"},
       make_hyper_hypercube},
      {{"simple-base:K",
        "blocks by the digits of n average, then hand their mean on: at most K neighbours a round",
        "any n, exact after a cycle; without K: 1",
        "simple-base"},
       make_simple_base},
      {{"base:K",
        "Base-(K+1): the shorter of simple-base and simple-base in sets; base:1 is Base-2",
        "any n, exact after a cycle of at most 2 log n + 2 rounds; without K: 1",
        "base"},
       make_base},
      {{"null-cascade",
        "one or both of two offsets a round, each round clearing frequencies for good",
        "any n, exact after a cycle",
        "null-cascade"},
       make_null_cascade},
      {{"d-equistatic:M=COUNT",
        "receive from i-u for M shifts u drawn from the seed (EquiTopo)",
        "any n; without M: floor(log2 n)",
        "d-equistatic"},
       make_d_equistatic},
      {{"u-equistatic:M=COUNT",
        "i with i-u and i+u for M shifts u drawn from the seed (EquiTopo)",
        "any n; without M: floor(log2 n)",
        "u-equistatic"},
       make_u_equistatic},
      {{"od-equidyn:M=COUNT:eta=X",
        "one peer a round: receive from i-u, u drawn anew from all, or from M of the seed "
        "(EquiTopo)",
        "any n; without eta: n/(2(n-1))",
        "od-equidyn"},
       make_od_equidyn},
      {{"ou-equidyn:M=COUNT:eta=X",
        "one partner a round: pairs u apart, u drawn anew from all, or from M of the seed "
        "(EquiTopo)",
        "any n; some may idle; without eta: n/(2(n-1))",
        "ou-equidyn"},
       make_ou_equidyn},
      {{"random-matching",
        "a new random pairing every round",
        "any n; odd n: one idles",
        "random-matching"},
       make_random_matching},
      {{"random-regular:K",
        "a connected random graph, K neighbours each, drawn from the seed",
        "K < n and K n even; K = 1 for n = 2 only; without K: min(4, n-1)",
        "random-regular"},
       make_random_regular},
      {{"erdos-renyi:P",
        "every edge with probability P, drawn from the seed until connected",
        "any n; without P: 1.5 ceil(log2 n)/n",
        "erdos-renyi"},
       make_erdos_renyi},
      {{"bipartite",
        "a ring with chords between even and odd ranks (AD-PSGD)",
        "any n",
        "bipartite"},
       make_bipartite},
      {{"file:PATH", "an edge list, weighted or not", "as the file says", ""}, make_from_file},
  };
  return table;
}

std::string word_of(const std::string& name) {
  return name.substr(0, name.find(':'));
}

}  // namespace

std::span<const CatalogEntry> catalog() {
  static const std::vector<CatalogEntry> entries = [] {
    std::vector<CatalogEntry> list;
    for (const Family& family : families()) {
      list.push_back(family.entry);
    }
    return list;
  }();
  return entries;
}

std::shared_ptr<const Topology> make_topology(const TopologyOptions& options) {
  const std::string word = word_of(options.name);
  Request request{.name = options.name,
                  .argument = std::nullopt,
                  .peers = options.peers,
                  .seed = options.seed,
                  .weights = parse_weight_rule(options.weights),
                  .columns_suffice = options.needs == Needs::columns};
  if (word.size() < options.name.size()) {
    request.argument = options.name.substr(word.size() + 1);
  }
  if (request.peers == 0) {
    refuse(request, "needs at least 1 peer, found 0");
  }
  std::vector<std::string> words;
  for (const Family& family : families()) {
    if (word_of(family.entry.name) == word) {
      return family.make(request);
    }
    words.push_back(word_of(family.entry.name));
  }
  throw ConfigError("topology: unknown name '" + options.name + "'" + suggestion(word, words));
}

}  // namespace starling::topology
