#include "starling/collective/swing_color.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "starling/collective/dims.hpp"
#include "starling/collective/negabinary.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

/// at + distance on a ring; distances may be longer than it.
std::size_t along(std::size_t at, std::ptrdiff_t distance, std::size_t peers) {
  const auto n = static_cast<std::ptrdiff_t>(peers);
  const std::ptrdiff_t to = (static_cast<std::ptrdiff_t>(at) + distance) % n;
  return static_cast<std::size_t>(to < 0 ? to + n : to);
}

}  // namespace

std::ptrdiff_t swing_distance(std::size_t step) {
  ensure(step < 60, "a swing has fewer steps", step);
  std::ptrdiff_t power = 1;
  std::ptrdiff_t sum = 0;
  for (std::size_t i = 0; i <= step; ++i) {
    sum += power;
    power *= -2;
  }
  return sum;
}

std::size_t swing_peer(std::size_t rank, std::size_t step, std::size_t peers) {
  const std::ptrdiff_t distance = swing_distance(step);
  return along(rank, rank % 2 == 0 ? distance : -distance, peers);
}

std::size_t swing_number(std::size_t rank, std::size_t peers) {
  ensure(std::has_single_bit(peers), "only a power of two has such numbers", peers);
  const std::size_t bits = floor_log2(peers);
  const std::uint64_t digits = negabinary(rank % 2 == 1 ? rank : std::uint64_t{0} - rank);
  const std::uint64_t gray = digits ^ ((digits & (peers - 1)) >> 1U);
  std::size_t number = 0;
  for (std::size_t bit = 0; bit < bits; ++bit) {
    number = (number << 1U) | ((gray >> bit) & 1U);
  }
  return number;
}

bool swing_reaches_all(std::size_t peers) {
  return peers % 2 == 0 || peers == 1 ||
         is_complete(SwingColor({peers}, torus_colors(1, 1).front()).far_first());
}

SwingColor::SwingColor(std::vector<std::size_t> dims, const TorusColor& color)
    : dims_(std::move(dims)),
      strides_(dims_.size(), 1),
      peers_(product(dims_)),
      is_mirrored_(color.turn == Turn::backwards) {
  const std::size_t axes = dims_.size();
  ensure(color.axes.size() == axes, "a color is one of this torus", color.axes.size(), axes);
  if (axes == 0) {
    return;
  }
  for (std::size_t axis = axes - 1; axis-- > 0;) {
    strides_[axis] = strides_[axis + 1] * dims_[axis + 1];
  }
  std::size_t all = 0;
  for (const std::size_t extent : dims_) {
    ensure(extent >= 2, "an axis on which nothing moves has no color", extent);
    all += ceil_log2(extent);
  }
  std::vector<std::size_t> taken(axes, 0);
  for (std::size_t turn = 0; steps_.size() < all; ++turn) {
    const std::size_t axis = color.axes[turn % axes];
    if (taken[axis] < ceil_log2(dims_[axis])) {
      steps_.push_back({axis, taken[axis]++});
    }
  }
}

std::size_t SwingColor::coordinate(std::size_t rank, std::size_t axis) const {
  return rank / strides_[axis] % dims_[axis];
}

std::size_t SwingColor::target(std::size_t at, const Step& step) const {
  const std::ptrdiff_t distance = swing_distance(step.on_axis);
  const bool backwards = (at % 2 == 1) != is_mirrored_;
  return along(at, backwards ? -distance : distance, dims_[step.axis]);
}

std::size_t SwingColor::peer(std::size_t rank, std::size_t step) const {
  const Step& taken = steps_[step];
  const std::size_t at = coordinate(rank, taken.axis);
  return rank + target(at, taken) * strides_[taken.axis] - at * strides_[taken.axis];
}

GatherPattern SwingColor::far_first() const {
  GatherPattern pattern{peers_, {}};
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    GatherRound round{strides_[step->axis], std::vector<Sources>(dims_[step->axis])};
    for (std::size_t at = 0; at < round.sources.size(); ++at) {
      round.sources[target(at, *step)].add(at);
    }
    pattern.rounds.push_back(std::move(round));
  }
  return pattern;
}

bool SwingColor::has_numbers() const {
  return std::all_of(
      dims_.begin(), dims_.end(), [](std::size_t extent) { return std::has_single_bit(extent); });
}

std::size_t SwingColor::number(std::size_t rank) const {
  std::size_t number = 0;
  for (const auto& [axis, on_axis] : steps_) {
    const std::size_t extent = dims_[axis];
    const std::size_t at = coordinate(rank, axis);
    const std::size_t of_ring = swing_number(is_mirrored_ ? (extent - at) % extent : at, extent);
    number = (number << 1U) | ((of_ring >> (floor_log2(extent) - 1 - on_axis)) & 1U);
  }
  return number;
}

std::optional<std::string> swing_colors_objection(std::size_t axes, std::size_t wanted) {
  const std::size_t most = most_colors(axes);
  if (wanted <= most) {
    return std::nullopt;
  }
  return "it has two colors an axis, at most " + std::to_string(most) + ", found " +
         std::to_string(wanted);
}

}  // namespace starling::collective
