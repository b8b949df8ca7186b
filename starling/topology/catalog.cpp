#include "starling/topology/catalog.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "starling/core/error.hpp"
#include "starling/core/text.hpp"
#include "starling/topology/basic.hpp"
#include "starling/topology/exponential.hpp"
#include "starling/topology/family.hpp"

namespace starling::topology {

namespace {

struct Family {
  CatalogEntry entry;
  Made (*make)(const Request& request);
};

/// The one table: what the program lists and what make_topology() looks up.
const std::vector<Family>& families() {
  static const std::vector<Family> table{
      {{"full", "everybody with everybody: the exact mean in one round", "any n", "full"},
       make_full},
      {{"ring", "i with i-1 and i+1", "any n", "ring"}, make_ring},
      {{"star", "rank 0 with everybody else", "any n", "star"}, make_star},
      {{"path", "a ring cut open between the last rank and rank 0", "any n", "path"}, make_path},
      {{"static-exponential",
        "receive from i-1, i-2, i-4, ... in every round",
        "any n",
        "static-exponential"},
       make_static_exponential},
      {{"exponential",
        "one peer a round: send to i+2^s, receive from i-2^s, s = round mod log2 n",
        "any n; exact after log2 n rounds if n is a power of two",
        "exponential"},
       make_one_peer_exponential},
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
                  .weights = parse_weight_rule(options.weights)};
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
