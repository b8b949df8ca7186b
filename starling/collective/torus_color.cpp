#include "starling/collective/torus_color.hpp"

#include <algorithm>

#include "starling/collective/dims.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

TorusColor color_number(std::size_t number, std::size_t axes) {
  TorusColor color;
  for (std::size_t r = 0; r < axes; ++r) {
    color.axes.push_back((number + r) % axes);
  }
  color.turn = number < axes ? Turn::forwards : Turn::backwards;
  return color;
}

/// How many ranks the number of one grows by from a coordinate to the next.
std::size_t stride_of(std::size_t axis, std::span<const std::size_t> dims) {
  return product(dims.subspan(axis + 1));
}

}  // namespace

std::vector<TorusColor> torus_colors(std::size_t axes, std::size_t count) {
  ensure(count >= 1 && count <= most_colors(axes), "a torus has two colors an axis", count, axes);
  if (axes == 0) {
    return {TorusColor{}};
  }
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < count; ++k) {
    numbers.push_back(k / 2 + (k % 2 == 0 ? 0 : axes));
  }
  std::sort(numbers.begin(), numbers.end());
  std::vector<TorusColor> colors;
  colors.reserve(count);
  for (const std::size_t number : numbers) {
    colors.push_back(color_number(number, axes));
  }
  return colors;
}

std::vector<std::size_t> long_axes(std::span<const std::size_t> dims) {
  std::vector<std::size_t> longer(dims.begin(), dims.end());
  std::erase(longer, std::size_t{1});
  return longer;
}

std::size_t position_of(std::size_t rank,
                        const TorusColor& color,
                        std::span<const std::size_t> dims) {
  std::size_t position = 0;
  for (const std::size_t axis : color.axes) {
    position = position * dims[axis] + rank / stride_of(axis, dims) % dims[axis];
  }
  return position;
}

std::size_t rank_at_position(std::size_t position,
                             const TorusColor& color,
                             std::span<const std::size_t> dims) {
  std::size_t rank = 0;
  for (std::size_t r = color.axes.size(); r-- > 0;) {
    const std::size_t axis = color.axes[r];
    rank += position % dims[axis] * stride_of(axis, dims);
    position /= dims[axis];
  }
  return rank;
}

std::size_t torus_neighbour(std::size_t rank,
                            std::size_t axis,
                            Turn turn,
                            std::span<const std::size_t> dims) {
  const std::size_t extent = dims[axis];
  const std::size_t stride = stride_of(axis, dims);
  const std::size_t at = rank / stride % extent;
  return rank + turned(at, 1, turn, extent) * stride - at * stride;
}

}  // namespace starling::collective
