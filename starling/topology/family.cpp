#include "starling/topology/family.hpp"

#include <bit>
#include <utility>

#include "starling/core/error.hpp"
#include "starling/topology/fixed_rounds.hpp"

namespace starling::topology {

void refuse(const Request& request, const std::string& reason) {
  throw ConfigError("topology " + request.name + ": " + reason);
}

void require_no_argument(const Request& request) {
  if (!request.argument) {
    return;
  }
  const std::string word = request.name.substr(0, request.name.find(':'));
  refuse(request, "takes no argument, found '" + *request.argument + "'; write '" + word + "'");
}

Made make_rounds(const Request& request, const std::vector<Graph>& graphs) {
  std::vector<std::vector<MixingRow>> rounds;
  rounds.reserve(graphs.size());
  for (const Graph& graph : graphs) {
    rounds.push_back(weighted_rows(graph, request.weights));
  }
  return std::make_shared<FixedRounds>(request.name, std::move(rounds));
}

Made make_fixed(const Request& request, const Graph& graph) {
  return make_rounds(request, {graph});
}

std::size_t ceil_log2(std::size_t n) {
  return static_cast<std::size_t>(std::bit_width(n - 1));
}

}  // namespace starling::topology
