#include "starling/collective/double_tree.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "starling/collective/segments.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

constexpr std::size_t kTrees = DoubleTree::kTrees;

/// Ranks of a tree, every one after its parent.
std::vector<std::size_t> from_the_root(const DoubleTree& trees, std::size_t tree) {
  std::vector<std::size_t> order{trees.root(tree)};
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const std::size_t child : trees.children(tree, order[next])) {
      order.push_back(child);
    }
  }
  return order;
}

/// The first round from `earliest` on that is `turn` modulo `period`.
std::size_t next_turn(std::size_t earliest, std::size_t turn, std::size_t period) {
  return earliest + (turn + period - earliest % period) % period;
}

/// When the first segment crosses the edges above the ranks of a tree; the next one follows
/// `period` rounds later.
struct Timetable {
  std::vector<std::size_t> up;
  std::vector<std::size_t> down;
  std::size_t period = 0;
  std::size_t rounds = 0;  // until the first segment is everywhere
};

/// Edges of color c are used upwards in rounds 2c, downwards in rounds 2c + 1, modulo 4.
Timetable up_and_down(const DoubleTree& trees,
                      std::size_t tree,
                      const std::vector<std::uint8_t>& colors) {
  constexpr std::size_t kPeriod = 4;
  Timetable table{
      std::vector<std::size_t>(trees.peers()), std::vector<std::size_t>(trees.peers()), kPeriod, 0};
  const std::vector<std::size_t> order = from_the_root(trees, tree);
  std::size_t complete = 0;  // the round in which the root has the first segment's sum
  for (std::size_t k = order.size(); k-- > 0;) {
    std::size_t ready = 0;
    for (const std::size_t child : trees.children(tree, order[k])) {
      ready = std::max(ready, table.up[child] + 1);
    }
    table.up[order[k]] = next_turn(ready, 2U * colors[order[k]], kPeriod);
    complete = ready;
  }
  for (const std::size_t rank : order) {
    if (const auto parent = trees.parent(tree, rank)) {
      const std::size_t ready = trees.parent(tree, *parent) ? table.down[*parent] + 1 : complete;
      table.down[rank] = next_turn(ready, 2U * colors[rank] + 1, kPeriod);
      table.rounds = std::max(table.rounds, table.down[rank] + 1);
    }
  }
  return table;
}

/// Edges of color c are used in rounds c modulo 2.
Timetable down_only(const DoubleTree& trees,
                    std::size_t tree,
                    const std::vector<std::uint8_t>& colors) {
  constexpr std::size_t kPeriod = 2;
  Timetable table{{}, std::vector<std::size_t>(trees.peers()), kPeriod, 0};
  for (const std::size_t rank : from_the_root(trees, tree)) {
    if (const auto parent = trees.parent(tree, rank)) {
      const std::size_t ready = trees.parent(tree, *parent) ? table.down[*parent] + 1 : 0;
      table.down[rank] = next_turn(ready, colors[rank], kPeriod);
      table.rounds = std::max(table.rounds, table.down[rank] + 1);
    }
  }
  return table;
}

/// Both trees' timetables, over equally many rounds, so that they still take turns when time runs
/// backwards.
template <class Make>
std::array<Timetable, kTrees> timetables(const DoubleTree& trees, Make make) {
  const auto colors = trees.edge_colors();
  std::array<Timetable, kTrees> tables{make(trees, 0, colors[0]), make(trees, 1, colors[1])};
  const std::size_t rounds = std::max(tables[0].rounds, tables[1].rounds);
  for (Timetable& table : tables) {
    table.rounds = rounds;
  }
  return tables;
}

/// Segments in a tree. They are the blocks of its half of the vector.
std::size_t segments_in_tree(const Request& request) {
  return segments_of((request.elements + 1) / 2, request.segment);
}

/// One message of every segment.
struct Crossing {
  Action action;
  std::size_t peer;
  Beat beat;
};

/// What `rank` does in a tree; sends first.
std::vector<Crossing> crossings_of(const DoubleTree& trees,
                                   std::size_t tree,
                                   std::size_t rank,
                                   const Timetable& table) {
  const auto parent = trees.parent(tree, rank);
  const std::vector<std::size_t> children = trees.children(tree, rank);
  std::vector<Crossing> all;
  if (parent && !table.up.empty()) {
    all.push_back({Action::send, *parent, {table.up[rank], table.period}});
  }
  for (const std::size_t child : children) {
    all.push_back({Action::send, child, {table.down[child], table.period}});
  }
  for (const std::size_t child : children) {
    if (!table.up.empty()) {
      all.push_back({Action::add, child, {table.up[child], table.period}});
    }
  }
  if (parent) {
    all.push_back({Action::copy, *parent, {table.down[rank], table.period}});
  }
  return all;
}

/// The lane of a tree whose rank r is rank r + shift of the group.
Lane lane_of(const std::vector<Crossing>& crossings,
             const Timetable& table,
             const Range& segments,
             std::size_t shift,
             std::size_t peers) {
  Lane lane;
  const std::size_t rounds =
      table.rounds == 0 ? 0 : table.rounds + (segments.size() - 1) * table.period;
  for (std::size_t round = 0; round < rounds; ++round) {
    lane.open_round();
    for (const Crossing& each : crossings) {
      each.beat.at(round, segments.size(), [&](std::size_t segment) {
        const std::size_t block = segments.begin + segment;
        lane.transfer(each.action, (each.peer + shift) % peers, {Range{block, block + 1}});
      });
    }
  }
  return lane;
}

}  // namespace

std::size_t DoubleTree::to_first(std::size_t tree, std::size_t rank) const {
  if (tree == 0) {
    return rank;
  }
  if (second_ == Second::of_all) {
    return peers_ % 2 == 0 ? peers_ - 1 - rank : (rank + peers_ - 1) % peers_;
  }
  if (rank == 0) {
    return 0;
  }
  if (peers_ % 2 == 1) {
    return peers_ - rank;
  }
  return rank == 1 ? peers_ - 1 : rank - 1;
}

std::size_t DoubleTree::from_first(std::size_t tree, std::size_t rank) const {
  if (tree == 0) {
    return rank;
  }
  if (second_ == Second::of_all) {
    return peers_ % 2 == 0 ? peers_ - 1 - rank : (rank + 1) % peers_;
  }
  if (rank == 0) {
    return 0;
  }
  if (peers_ % 2 == 1) {
    return peers_ - rank;
  }
  return rank == peers_ - 1 ? 1 : rank + 1;
}

std::optional<std::size_t> DoubleTree::parent(std::size_t tree, std::size_t rank) const {
  const std::size_t r = to_first(tree, rank);
  if (r == 0) {
    return std::nullopt;
  }
  const std::size_t bit = r & (~r + 1);
  const std::size_t above = (r ^ bit) | (2 * bit);
  return from_first(tree, above < peers_ ? above : r ^ bit);
}

std::vector<std::size_t> DoubleTree::children(std::size_t tree, std::size_t rank) const {
  const std::size_t r = to_first(tree, rank);
  if (peers_ == 1) {
    return {};
  }
  if (r == 0) {
    return {from_first(tree, std::bit_floor(peers_ - 1))};
  }
  const std::size_t bit = r & (~r + 1);
  if (bit == 1) {
    return {};
  }
  std::vector<std::size_t> below{from_first(tree, r - bit / 2)};
  for (std::size_t step = bit / 2; step > 0; step /= 2) {
    if (r + step < peers_) {
      below.push_back(from_first(tree, r + step));
      break;
    }
  }
  return below;
}

// An edge has at most one rival above the same rank and one below the same rank, and ways from
// rival to rival take turns between the two kinds: so they close after an even number, if at all.
std::array<std::vector<std::uint8_t>, DoubleTree::kTrees> DoubleTree::edge_colors() const {
  constexpr std::uint8_t kNone = 2;
  std::array<std::vector<std::uint8_t>, kTrees> colors;
  colors.fill(std::vector<std::uint8_t>(peers_, kNone));
  std::vector<std::pair<std::size_t, std::size_t>> reached;
  const auto reach = [&](std::size_t tree, std::size_t rank, std::uint8_t color) {
    if (colors[tree][rank] == kNone) {
      colors[tree][rank] = color;
      reached.emplace_back(tree, rank);
    }
  };
  const auto reach_rivals =
      [&](std::size_t tree, std::size_t child, std::size_t above, std::uint8_t color) {
        if (parent(1 - tree, child)) {
          reach(1 - tree, child, color);
        }
        for (std::size_t in = 0; in < kTrees; ++in) {
          for (const std::size_t sibling : children(in, above)) {
            if (in != tree || sibling != child) {
              reach(in, sibling, color);
            }
          }
        }
      };
  for (std::size_t tree = 0; tree < kTrees; ++tree) {
    for (std::size_t rank = 0; rank < peers_; ++rank) {
      for (reach(tree, rank, 0); !reached.empty();) {
        const auto [of_tree, child] = reached.back();
        reached.pop_back();
        const auto above = parent(of_tree, child);
        if (!above) {
          continue;
        }
        const auto other = static_cast<std::uint8_t>(1 - colors[of_tree][child]);
        reach_rivals(of_tree, child, *above, other);
      }
    }
  }
  return colors;
}

Schedule double_tree_all_reduce(const Request& request) {
  const DoubleTree trees(request.peers, DoubleTree::Second::of_all);
  const auto tables = timetables(trees, up_and_down);
  const std::size_t segments = segments_in_tree(request);
  Schedule schedule = schedule_of_regions(request, kTrees, segments);
  for (std::size_t tree = 0; tree < kTrees; ++tree) {
    const Range blocks{tree * segments, (tree + 1) * segments};
    if (trees.root(tree) == request.rank) {
      schedule.owned.push_back(blocks);
    }
    const auto crossings = crossings_of(trees, tree, request.rank, tables[tree]);
    schedule.lanes[tree] = lane_of(crossings, tables[tree], blocks, 0, request.peers);
  }
  return schedule;
}

Schedule double_tree_broadcast(const Request& request) {
  const std::size_t n = request.peers;
  ensure(request.root < n, "the root is a rank of the group", request.root, n);
  const DoubleTree trees(n, DoubleTree::Second::below_root);
  const auto tables = timetables(trees, down_only);
  const std::size_t segments = segments_in_tree(request);
  const std::size_t v = (request.rank + n - request.root) % n;
  Schedule schedule = schedule_of_regions(request, kTrees, segments);
  if (v == 0) {
    schedule.owned = {{0, schedule.blocks()}};
  }
  for (std::size_t tree = 0; tree < kTrees; ++tree) {
    const Range blocks{tree * segments, (tree + 1) * segments};
    const auto crossings = crossings_of(trees, tree, v, tables[tree]);
    schedule.lanes[tree] = lane_of(crossings, tables[tree], blocks, request.root, n);
  }
  return schedule;
}

Schedule double_tree_reduce(const Request& request) {
  return reversed(double_tree_broadcast(request));
}

}  // namespace starling::collective
