#include "starling/collective/dims.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

#include "starling/core/ensure.hpp"
#include "starling/core/error.hpp"

namespace starling::collective {

namespace {

using Dims = std::vector<std::size_t>;

/// Extends `chosen` by `axes` more extents with product `left`, none larger than the last one, and
/// keeps the best in `best`.
void search(std::size_t left, std::size_t axes, Dims& chosen, Dims& best) {
  const auto sum = [](const Dims& dims) {
    std::size_t total = 0;
    for (const std::size_t extent : dims) {
      total += extent - 1;
    }
    return total;
  };
  if (axes == 1) {
    if (!chosen.empty() && left > chosen.back()) {
      return;
    }
    chosen.push_back(left);
    if (best.empty() || sum(chosen) < sum(best)) {
      best = chosen;
    }
    chosen.pop_back();
    return;
  }
  for (std::size_t extent = 1; extent <= left; ++extent) {
    if (left % extent != 0 || (!chosen.empty() && extent > chosen.back())) {
      continue;
    }
    chosen.push_back(extent);
    search(left / extent, axes - 1, chosen, best);
    chosen.pop_back();
  }
}

}  // namespace

std::vector<std::size_t> even_dims(std::size_t peers, std::size_t axes) {
  ensure(peers >= 1 && axes >= 1, "a torus has peers and axes", peers, axes);
  Dims chosen;
  Dims best;
  search(peers, axes, chosen, best);
  std::erase(best, std::size_t{1});
  if (best.empty()) {
    best.push_back(1);
  }
  return best;
}

std::vector<std::size_t> parse_dims(std::string_view text) {
  const auto refuse = [&] {
    throw ConfigError("extents are written like 4x4x2, found '" + std::string(text) + "'");
  };
  Dims dims;
  std::size_t all = 1;
  const char* next = text.data();
  const char* const end = next + text.size();
  for (;;) {
    std::size_t extent = 0;
    const auto [stop, error] = std::from_chars(next, end, extent);
    if (error != std::errc{} || extent == 0 ||
        all > std::numeric_limits<std::uint32_t>::max() / extent) {
      refuse();
    }
    all *= extent;
    dims.push_back(extent);
    if (stop == end) {
      return dims;
    }
    if (*stop != 'x') {
      refuse();
    }
    next = stop + 1;
  }
}

std::string dims_text(std::span<const std::size_t> dims) {
  std::string text;
  for (const std::size_t extent : dims) {
    if (!text.empty()) {
      text += 'x';
    }
    text += std::to_string(extent);
  }
  return text;
}

std::size_t product(std::span<const std::size_t> dims) {
  std::size_t all = 1;
  for (const std::size_t extent : dims) {
    all *= extent;
  }
  return all;
}

std::vector<std::size_t> coordinates(std::size_t rank, std::span<const std::size_t> dims) {
  Dims at(dims.size());
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    at[axis] = rank % dims[axis];
    rank /= dims[axis];
  }
  return at;
}

std::size_t rank_at(std::span<const std::size_t> coordinates, std::span<const std::size_t> dims) {
  std::size_t rank = 0;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    rank = rank * dims[axis] + coordinates[axis];
  }
  return rank;
}

}  // namespace starling::collective
