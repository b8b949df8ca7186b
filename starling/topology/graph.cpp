#include "starling/topology/graph.hpp"

#include <algorithm>

#include "starling/core/ensure.hpp"

namespace starling::topology {

namespace {

using Neighbours = std::vector<std::vector<std::size_t>>;

void insert_sorted(std::vector<std::size_t>& ranks, std::size_t rank) {
  const auto place = std::lower_bound(ranks.begin(), ranks.end(), rank);
  if (place == ranks.end() || *place != rank) {
    ranks.insert(place, rank);
  }
}

std::optional<std::size_t> not_reached_from_zero(const Neighbours& neighbours) {
  std::vector<bool> reached(neighbours.size(), false);
  std::vector<std::size_t> open;
  if (!neighbours.empty()) {
    reached[0] = true;
    open.push_back(0);
  }
  while (!open.empty()) {
    const std::size_t rank = open.back();
    open.pop_back();
    for (const std::size_t next : neighbours[rank]) {
      if (!reached[next]) {
        reached[next] = true;
        open.push_back(next);
      }
    }
  }
  const auto missing = std::find(reached.begin(), reached.end(), false);
  if (missing == reached.end()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(missing - reached.begin());
}

}  // namespace

void Graph::add_edge(std::size_t a, std::size_t b) {
  add_arc(a, b);
  add_arc(b, a);
}

void Graph::add_arc(std::size_t from, std::size_t to) {
  ensure(from < size() && to < size(), "an edge joins ranks of the graph", from, to, size());
  if (from == to) {
    return;
  }
  insert_sorted(out_[from], to);
  insert_sorted(in_[to], from);
}

std::size_t Graph::largest_degree() const {
  std::size_t largest = 0;
  for (const auto& neighbours : out_) {
    largest = std::max(largest, neighbours.size());
  }
  return largest;
}

std::optional<std::size_t> Graph::cut_off() const {
  if (const auto rank = not_reached_from_zero(out_)) {
    return rank;
  }
  return not_reached_from_zero(in_);
}

}  // namespace starling::topology
