#include "starling/collective/trivance.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "starling/collective/dims.hpp"
#include "starling/collective/gather_pattern.hpp"
#include "starling/collective/torus.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

constexpr std::size_t kRadix = 3;

/// Both partners of a rank are as far away, along one axis.
class TrivanceColor {
 public:
  TrivanceColor(const std::vector<std::size_t>& dims, std::size_t first_axis) : dims_(dims) {
    std::vector<std::size_t> distance(dims.size(), 1);
    const auto is_left = [&](std::size_t axis) { return distance[axis] < dims_[axis]; };
    std::size_t axis = first_axis;
    for (std::size_t idle = 0; idle < dims_.size(); axis = (axis + 1) % dims_.size()) {
      idle = is_left(axis) ? 0 : idle + 1;
      if (is_left(axis)) {
        steps_.push_back({axis, distance[axis]});
        distance[axis] *= kRadix;
      }
    }
  }

  [[nodiscard]] std::size_t steps() const { return steps_.size(); }

  /// r + 3^k and r - 3^k; the same one if the axis is short.
  [[nodiscard]] std::array<std::size_t, 2> partners(std::size_t rank, std::size_t step) const {
    const auto [axis, distance] = steps_[step];
    const std::size_t extent = dims_[axis];
    const std::size_t at = rank / stride(axis) % extent;
    const std::size_t base = rank - at * stride(axis);
    return {base + (at + distance) % extent * stride(axis),
            base + (at + extent - distance) % extent * stride(axis)};
  }

  [[nodiscard]] GatherPattern far_first() const {
    GatherPattern pattern{product(dims_), {}};
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      const std::size_t extent = dims_[step->axis];
      GatherRound round{stride(step->axis), std::vector<Sources>(extent)};
      for (std::size_t at = 0; at < extent; ++at) {
        round.sources[at].add((at + step->distance) % extent);
        round.sources[at].add((at + extent - step->distance) % extent);
      }
      pattern.rounds.push_back(std::move(round));
    }
    return pattern;
  }

 private:
  struct Step {
    std::size_t axis;
    std::size_t distance;
  };

  std::vector<std::size_t> dims_;
  std::vector<Step> steps_;

  /// How ranks grow along an axis.
  [[nodiscard]] std::size_t stride(std::size_t axis) const {
    return product(std::span(dims_).subspan(axis + 1));
  }
};

std::vector<TrivanceColor> colors_of(const Request& request) {
  const std::vector<std::size_t> axes = torus_axes(request);
  const std::size_t all = std::max<std::size_t>(1, axes.size());
  std::vector<TrivanceColor> colors;
  for (std::size_t c = 0; c < (request.colors == 0 ? all : request.colors); ++c) {
    colors.emplace_back(axes, c);
  }
  return colors;
}

}  // namespace

Schedule trivance_all_reduce(const Request& request) {
  const std::size_t n = request.peers;
  const auto colors = colors_of(request);
  Schedule gather = schedule_of_regions(request, colors.size(), n);
  for (std::size_t c = 0; c < colors.size(); ++c) {
    gather.owned.push_back({c * n + request.rank, c * n + request.rank + 1});
    gather.lanes[c] = gather_lane(colors[c].far_first(), request.rank, {c * n, 1});
  }
  return joined(reversed(gather), gather);
}

Schedule trivance_all_gather(const Request& request) {
  const auto colors = colors_of(request);
  Schedule gather = schedule_of_parts(request, colors.size());
  gather.owned = {gather.part(request.rank)};
  gather.lanes.resize(colors.size());
  for (std::size_t c = 0; c < colors.size(); ++c) {
    gather.lanes[c] = gather_lane(colors[c].far_first(), request.rank, {c, colors.size()});
  }
  return gather;
}

Schedule trivance_reduce_scatter(const Request& request) {
  return reversed(trivance_all_gather(request));
}

std::optional<std::string> trivance_objection(const Request& request) {
  const std::size_t axes = std::max<std::size_t>(1, torus_axes(request).size());
  if (request.colors > axes) {
    return "it has a color an axis, at most " + std::to_string(axes) + ", found " +
           std::to_string(request.colors);
  }
  return std::nullopt;
}

Schedule trivance_latency_all_reduce(const Request& request) {
  const auto colors = colors_of(request);
  ensure(!trivance_latency_objection(request), "extents are powers of three", request.peers);
  Schedule schedule = schedule_of_regions(request, colors.size(), 1);
  schedule.owned = {{0, colors.size()}};
  for (std::size_t c = 0; c < colors.size(); ++c) {
    const Range region{c, c + 1};
    Lane& lane = schedule.lanes[c];
    for (std::size_t step = 0; step < colors[c].steps(); ++step) {
      const auto partners = colors[c].partners(request.rank, step);
      lane.open_round();
      for (const Action action : {Action::send, Action::add}) {
        for (const std::size_t partner : partners) {
          lane.transfer(action, partner, {region});
        }
      }
    }
  }
  return schedule;
}

std::optional<std::string> trivance_latency_objection(const Request& request) {
  for (const std::size_t extent : torus_axes(request)) {
    std::size_t power = kRadix;
    while (power * kRadix <= extent) {
      power *= kRadix;
    }
    if (power != extent) {
      return "powers of three are needed, found an axis of " + std::to_string(extent) +
             "; the nearest are " + (extent < power ? "" : std::to_string(power) + " and ") +
             std::to_string(extent < power ? power : power * kRadix);
    }
  }
  return trivance_objection(request);
}

}  // namespace starling::collective
