// Who is linked to whom, before any weights.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace starling::topology {

/// A simple graph over ranks 0 .. size-1: no loops, no doubled edges; directed or not.
class Graph {
 public:
  explicit Graph(std::size_t size) : out_(size), in_(size) {}

  /// Links a and b both ways. A loop or an edge that is there already changes nothing: doubled
  /// edges of a torus of extent 2 merge here.
  void add_edge(std::size_t a, std::size_t b);

  /// Links from -> to only.
  void add_arc(std::size_t from, std::size_t to);

  [[nodiscard]] std::size_t size() const { return out_.size(); }

  /// Ranks that `rank` sends to, ascending.
  [[nodiscard]] const std::vector<std::size_t>& out(std::size_t rank) const { return out_[rank]; }

  /// Ranks that `rank` receives from, ascending.
  [[nodiscard]] const std::vector<std::size_t>& in(std::size_t rank) const { return in_[rank]; }

  [[nodiscard]] std::size_t largest_degree() const;

  [[nodiscard]] bool is_undirected() const { return out_ == in_; }

  /// A rank that rank 0 does not reach, or that does not reach rank 0; nothing if the graph is
  /// (strongly) connected.
  [[nodiscard]] std::optional<std::size_t> cut_off() const;

 private:
  std::vector<std::vector<std::size_t>> out_;
  std::vector<std::vector<std::size_t>> in_;
};

}  // namespace starling::topology
