#include "starling/collective/half_way_torus.hpp"

#include <utility>
#include <vector>

#include "starling/collective/color_weights.hpp"
#include "starling/collective/torus.hpp"
#include "starling/collective/torus_composite.hpp"

namespace starling::collective {

namespace {

/// A8 backwards in time. In round t of an axis of extent d the rank at x sends chunk x - t to x + 1
/// and, if d is even one round later, chunk x + t to x - 1: floor(d/2) rounds bring everybody
/// everything. Both ways are in use whichever way the color turns.
void half_way_all_gather(Lane& lane, const TorusLayout& layout, std::size_t color, Turn /*turn*/) {
  const auto& dims = layout.dims();
  const auto& axes = layout.colors()[color].axes;
  const std::size_t rank = layout.request().rank;
  const std::size_t position = position_of(rank, layout.colors()[color], dims);
  Range window{position, position + 1};
  for (std::size_t r = axes.size(); r-- > 0;) {
    const std::size_t extent = dims[axes[r]];
    const std::size_t x = window.begin / window.size() % extent;
    const std::size_t above = torus_neighbour(rank, axes[r], Turn::forwards, dims);
    const std::size_t below = torus_neighbour(rank, axes[r], Turn::backwards, dims);
    const std::size_t lag = extent % 2 == 0 ? 1 : 0;
    const auto chunk = [&](Turn turn, std::size_t hops) {
      return layout.blocks(color, sibling(window, x, turned(x, hops, turn, extent)));
    };
    for (std::size_t t = 0; t < extent / 2; ++t) {
      const bool is_down_late = t < lag;
      lane.open_round();
      lane.transfer(Action::send, above, chunk(Turn::backwards, t));
      if (!is_down_late) {
        lane.transfer(Action::send, below, chunk(Turn::forwards, t - lag));
      }
      lane.transfer(Action::copy, below, chunk(Turn::backwards, t + 1));
      if (!is_down_late) {
        lane.transfer(Action::copy, above, chunk(Turn::forwards, t + 1 - lag));
      }
    }
    window = window_around(window, x, extent);
  }
}

constexpr TorusMoves kHalfWayMoves{half_way_all_gather, nullptr};

}  // namespace

Schedule half_way_torus(const Request& request) {
  std::vector<std::size_t> dims = torus_axes(request);
  std::vector<TorusColor> colors = torus_colors(dims.size(), most_colors(dims.size()));
  colors.resize((colors.size() + 1) / 2);  // those that go forwards: one for every axis
  std::vector<double> weights{1.0};
  if (!dims.empty()) {
    weights = axis_weights(request.weights, dims, half_way_shares(dims));
  }
  return torus_schedule(TorusLayout(request, std::move(dims), std::move(colors), weights),
                        kHalfWayMoves);
}

}  // namespace starling::collective
