// Double binary tree (Sanders, Speck, Traeff 2009): two trees over all ranks, each for half of the
// vector, in which whoever is inside one is a leaf of the other. All ranks send and receive equally
// much, and a tree has few hops: for middle-sized vectors at many ranks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "starling/collective/schedule.hpp"

namespace starling::collective {

/// Who is whose parent. The root of the first tree, 0, has one child, the largest power of two < n.
class DoubleTree {
 public:
  static constexpr std::size_t kTrees = 2;

  /// What the second tree is.
  enum class Second : std::uint8_t {
    of_all,      ///< the mirror image of the first for even n, the first shifted by one for odd n
    below_root,  ///< so is what lies below 0, which is the root of both
  };

  DoubleTree(std::size_t peers, Second second) : peers_(peers), second_(second) {}

  [[nodiscard]] std::size_t peers() const { return peers_; }

  [[nodiscard]] std::size_t root(std::size_t tree) const { return from_first(tree, 0); }

  /// Nothing for the root.
  [[nodiscard]] std::optional<std::size_t> parent(std::size_t tree, std::size_t rank) const;

  /// At most two.
  [[nodiscard]] std::vector<std::size_t> children(std::size_t tree, std::size_t rank) const;

  /// A color, 0 or 1, for the edge above every rank in every tree (any for the roots), such that
  /// neither the edges above a rank nor those below it have one color: edges of one color can be
  /// used at once, and everybody sends and receives one message.
  [[nodiscard]] std::array<std::vector<std::uint8_t>, kTrees> edge_colors() const;

 private:
  std::size_t peers_;
  Second second_;

  /// The rank with the place in the first tree that `rank` has in `tree`, and back.
  [[nodiscard]] std::size_t to_first(std::size_t tree, std::size_t rank) const;
  [[nodiscard]] std::size_t from_first(std::size_t tree, std::size_t rank) const;
};

/// A lane for each tree. Every segment (Request::segment elements) is reduced up to the root and
/// then broadcast down; both directions and both trees take turns. At most two vectors sent per
/// rank, one message a round.
Schedule double_tree_all_reduce(const Request& request);

/// Ranks shifted so that the root is 0. At most one vector sent per rank, one message a round.
Schedule double_tree_broadcast(const Request& request);

/// The broadcast backwards, adding.
Schedule double_tree_reduce(const Request& request);

}  // namespace starling::collective
