#include "starling/topology/family.hpp"

#include <bit>
#include <utility>

#include "starling/core/error.hpp"
#include "starling/core/text.hpp"
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

std::size_t degree_of(const Request& request, std::size_t fallback) {
  if (!request.argument) {
    return fallback;
  }
  const auto degree = parse_size(*request.argument);
  if (!degree || *degree == 0) {
    refuse(request,
           "expected a number K from 1, the most neighbours in a round, found '" +
               *request.argument + "'");
  }
  return *degree;
}

void require_own_weights(const Request& request) {
  if (request.weights == WeightRule::natural || request.weights == WeightRule::lazy) {
    return;
  }
  refuse(request,
         "its weights are its own, found --weights " + to_string(request.weights) +
             "; use --weights auto or lazy");
}

Made make_arcs(const Request& request, std::vector<std::vector<Arc>> rounds) {
  if (rounds.empty()) {
    rounds.emplace_back();
  }
  std::vector<std::vector<MixingRow>> rows;
  rows.reserve(rounds.size());
  for (std::vector<Arc>& arcs : rounds) {
    if (request.weights == WeightRule::lazy) {
      for (Arc& arc : arcs) {
        arc.weight *= 0.5;
      }
    }
    rows.push_back(rows_from_arcs(request.peers, std::move(arcs), Complete::rows));
  }
  return std::make_shared<FixedRounds>(request.name, std::move(rows));
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
