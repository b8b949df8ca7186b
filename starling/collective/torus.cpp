#include "starling/collective/torus.hpp"

#include <sstream>
#include <utility>

#include "starling/collective/color_weights.hpp"
#include "starling/collective/dims.hpp"
#include "starling/collective/torus_composite.hpp"

namespace starling::collective {

namespace {

/// What a request leaves open is all of them.
std::size_t colors_in_use(const Request& request, std::size_t axes) {
  return axes == 0 || request.colors == 0 ? most_colors(axes) : request.colors;
}

/// What every color carries of a vector.
std::vector<double> color_weights(const Request& request,
                                  const std::vector<std::size_t>& dims,
                                  std::size_t colors) {
  if (dims.empty() || colors < most_colors(dims.size())) {
    return std::vector<double>(colors, 1.0 / static_cast<double>(colors));
  }
  std::vector<double> weights = axis_weights(request.weights, dims, one_way_shares(dims));
  for (double& weight : weights) {
    weight /= 2.0;
  }
  const std::vector<double> forwards = weights;
  weights.insert(weights.end(), forwards.begin(), forwards.end());
  return weights;
}

/// A2 with A1: along the last axis of the color first. In round t of an axis of extent d the rank
/// at x sends chunk x - s t to x + s and receives chunk x - s (t+1) from x - s; after d - 1 of them
/// its window has grown by d.
void bucket_all_gather(Lane& lane, const TorusLayout& layout, std::size_t color, Turn turn) {
  const auto& dims = layout.dims();
  const auto& axes = layout.colors()[color].axes;
  const std::size_t rank = layout.request().rank;
  const std::size_t position = position_of(rank, layout.colors()[color], dims);
  Range window{position, position + 1};
  for (std::size_t r = axes.size(); r-- > 0;) {
    const std::size_t extent = dims[axes[r]];
    const std::size_t x = window.begin / window.size() % extent;
    const std::size_t next = torus_neighbour(rank, axes[r], turn, dims);
    const std::size_t previous = torus_neighbour(rank, axes[r], opposite(turn), dims);
    const auto chunk_back = [&](std::size_t hops) {
      return layout.blocks(color, sibling(window, x, turned(x, hops, opposite(turn), extent)));
    };
    for (std::size_t t = 0; t + 1 < extent; ++t) {
      lane.open_round();
      lane.transfer(Action::send, next, chunk_back(t));
      lane.transfer(Action::copy, previous, chunk_back(t + 1));
    }
    window = window_around(window, x, extent);
  }
}

/// One axis of a scatter, seen by the rank at distance `from_root` of a root of the line: the chunk
/// for the furthest goes first, everybody hands on what is not for it.
class ScatterLine {
 public:
  ScatterLine(std::size_t extent, std::size_t from_root) : extent_(extent), from_root_(from_root) {}

  /// The distance from the root of the rank for which this one sends a chunk in round t; 0: it
  /// sends nothing.
  [[nodiscard]] std::size_t sent(std::size_t t) const {
    return from_root_ + 1 < extent_ && t >= from_root_ ? extent_ + from_root_ - 1 - t : 0;
  }

  /// The same for what it receives.
  [[nodiscard]] std::size_t received(std::size_t t) const {
    return from_root_ > 0 && t + 1 >= from_root_ ? extent_ + from_root_ - 2 - t : 0;
  }

 private:
  std::size_t extent_;
  std::size_t from_root_;
};

/// A5: along the first axis of the color from the root, then along the second from all that have
/// something, and so on. Those who have nothing yet wait through the rounds of an axis.
void line_scatter(Lane& lane, const TorusLayout& layout, std::size_t color, Turn turn) {
  const auto& dims = layout.dims();
  const Request& request = layout.request();
  const TorusColor& way = layout.colors()[color];
  const std::size_t position = position_of(request.rank, way, dims);
  const std::size_t root = position_of(request.root, way, dims);
  std::size_t size = request.peers;  // of a window, then of a chunk
  for (const std::size_t axis : way.axes) {
    const std::size_t extent = dims[axis];
    const std::size_t window = position / size * size;
    size /= extent;
    const std::size_t x = position / size % extent;
    const std::size_t root_x = root / size % extent;
    const std::size_t hops = turn == Turn::forwards ? turned(x, root_x, Turn::backwards, extent)
                                                    : turned(root_x, x, Turn::backwards, extent);
    const auto chunk_at = [&](std::size_t distance) {
      const std::size_t begin = window + turned(root_x, distance, turn, extent) * size;
      return layout.blocks(color, {begin, begin + size});
    };
    const ScatterLine line(extent, hops);
    const bool takes_part = position % size == root % size;
    for (std::size_t t = 0; t + 1 < extent; ++t) {
      lane.open_round();
      if (const std::size_t distance = line.sent(t); takes_part && distance > 0) {
        lane.transfer(
            Action::send, torus_neighbour(request.rank, axis, turn, dims), chunk_at(distance));
      }
      if (const std::size_t distance = line.received(t); takes_part && distance > 0) {
        lane.transfer(Action::copy,
                      torus_neighbour(request.rank, axis, opposite(turn), dims),
                      chunk_at(distance));
      }
    }
  }
}

constexpr TorusMoves kBucketMoves{bucket_all_gather, line_scatter};

}  // namespace

Schedule bucket_torus(const Request& request) {
  Request one_color = request;
  one_color.layout = Layout::split_blocks;  // with one color every part is one sub-block
  std::vector<std::size_t> dims = torus_axes(request);
  auto colors = torus_colors(dims.size(), 1);
  return torus_schedule(
      TorusLayout(std::move(one_color), std::move(dims), std::move(colors), {1.0}), kBucketMoves);
}

Schedule multiported_torus(const Request& request) {
  std::vector<std::size_t> dims = torus_axes(request);
  auto colors = torus_colors(dims.size(), colors_in_use(request, dims.size()));
  const auto weights = color_weights(request, dims, colors.size());
  return torus_schedule(TorusLayout(request, std::move(dims), std::move(colors), weights),
                        kBucketMoves);
}

std::optional<std::string> multiported_torus_objection(const Request& request) {
  const std::size_t axes = torus_axes(request).size();
  const std::size_t most = most_colors(axes);
  if (axes == 0 || request.colors == 0 || request.colors == most) {
    return std::nullopt;
  }
  std::ostringstream text;
  text << "the torus has " << most << " colors, two for every axis longer than 1";
  if (request.colors < most && request.weights == ColorWeights::solved) {
    text << "; weights=solved needs them all";
  } else if (request.colors < most) {
    return std::nullopt;
  }
  text << "; found colors=" << request.colors;
  return text.str();
}

std::vector<std::size_t> torus_axes(const Request& request) {
  return long_axes(request.dims.empty() ? std::vector{request.peers} : request.dims);
}

}  // namespace starling::collective
