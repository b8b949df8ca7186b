#include "starling/topology/grid_groups.hpp"

#include <numeric>
#include <span>
#include <utility>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"
#include "starling/core/random.hpp"
#include "starling/core/text.hpp"

namespace starling::topology {

namespace {

/// A plan holds a number a cell.
constexpr std::size_t kCellsMax = std::size_t{1} << 26;

/// The product of the extents; kCellsMax + 1 if it is larger than kCellsMax.
std::size_t cells_in(const GridExtents& extents) {
  std::size_t cells = 1;
  for (const std::size_t extent : extents) {
    if (extent == 0) {
      return 0;
    }
    if (extent > kCellsMax / cells) {
      return kCellsMax + 1;
    }
    cells *= extent;
  }
  return cells;
}

[[noreturn]] void refuse_grid(const std::string& text, const std::string& why, std::size_t peers) {
  throw ConfigError("grid: '" + text + "' " + why + "; " + to_string(square_grid(peers)) +
                    " holds " + std::to_string(peers) + (peers == 1 ? " peer" : " peers"));
}

void check_extents(const GridExtents& extents, std::size_t peers) {
  const std::size_t cells = cells_in(extents);
  ensure(!extents.empty() && cells >= 1 && cells <= kCellsMax, "a grid has cells", cells);
  ensure(peers >= 1 && peers <= cells, "a grid has a cell for every peer", peers, cells);
}

std::vector<std::size_t> cells_in_order(std::size_t count) {
  std::vector<std::size_t> cells(count);
  std::iota(cells.begin(), cells.end(), std::size_t{0});
  return cells;
}

/// Cells between a cell and the next one along `axis`.
std::size_t stride_of(const GridExtents& extents, std::size_t axis) {
  std::size_t stride = 1;
  for (std::size_t later = axis + 1; later < extents.size(); ++later) {
    stride *= extents[later];
  }
  return stride;
}

}  // namespace

GridExtents square_grid(std::size_t peers) {
  ensure(peers >= 1, "a grid needs a peer", peers);
  std::size_t side = 1;
  while (side * side < peers) {
    ++side;
  }
  return {side, (peers + side - 1) / side};
}

GridExtents parse_grid(const std::string& text, std::size_t peers) {
  GridExtents extents;
  for (const std::string& part : split(text, 'x')) {
    const auto extent = parse_size(part);
    if (!extent || *extent == 0) {
      refuse_grid(text, "is no grid: expected extents of at least 1 joined by 'x'", peers);
    }
    extents.push_back(*extent);
  }
  const std::size_t cells = cells_in(extents);
  if (cells > kCellsMax) {
    refuse_grid(text, "has more than " + std::to_string(kCellsMax) + " cells", peers);
  }
  if (cells < peers) {
    refuse_grid(text,
                "has " + std::to_string(cells) + " cells for " + std::to_string(peers) + " peers",
                peers);
  }
  return extents;
}

std::string to_string(const GridExtents& extents) {
  std::string text;
  for (const std::size_t extent : extents) {
    text.append(text.empty() ? "" : "x").append(std::to_string(extent));
  }
  return text;
}

GridGroups GridGroups::in_order(GridExtents extents, std::size_t peers) {
  check_extents(extents, peers);
  return {std::move(extents), cells_in_order(peers)};
}

GridGroups GridGroups::scattered(GridExtents extents, std::size_t peers, std::uint64_t seed) {
  check_extents(extents, peers);
  const std::size_t cells = cells_in(extents);
  std::vector<std::size_t> cell_of = cells_in_order(cells);
  if (peers < cells) {
    Random random(seed, stream_key("topology/grid-groups"));
    random.shuffle(std::span(cell_of));
    cell_of.resize(peers);
  }
  return {std::move(extents), std::move(cell_of)};
}

GridGroups::GridGroups(GridExtents extents, std::vector<std::size_t> cell_of)
    : extents_(std::move(extents)),
      cell_of_(std::move(cell_of)),
      rank_in_(cells_in(extents_), cell_of_.size()) {
  for (std::size_t rank = 0; rank < cell_of_.size(); ++rank) {
    rank_in_[cell_of_[rank]] = rank;
  }
}

std::vector<std::size_t> GridGroups::coordinates(std::size_t rank) const {
  ensure(rank < peers(), "no such rank in the grid", rank, peers());
  std::vector<std::size_t> found(axes());
  std::size_t cell = cell_of_[rank];
  for (std::size_t axis = axes(); axis-- > 0;) {
    found[axis] = cell % extents_[axis];
    cell /= extents_[axis];
  }
  return found;
}

std::vector<std::size_t> GridGroups::line(std::size_t rank, std::size_t axis) const {
  ensure(rank < peers(), "no such rank in the grid", rank, peers());
  ensure(axis < axes(), "no such axis of the grid", axis, axes());
  const std::size_t stride = stride_of(extents_, axis);
  const std::size_t cell = cell_of_[rank];
  const std::size_t first = cell - cell / stride % extents_[axis] * stride;
  std::vector<std::size_t> ranks;
  for (std::size_t k = 0; k < extents_[axis]; ++k) {
    const std::size_t other = rank_in_[first + k * stride];
    if (other < peers()) {
      ranks.push_back(other);
    }
  }
  return ranks;
}

}  // namespace starling::topology
