#include "starling/collective/torus_layout.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "starling/collective/dims.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

/// For every bound, its index among `all`. @pre both ascend, every bound is in `all`
std::vector<std::size_t> indices_in(const std::vector<std::size_t>& all,
                                    const std::vector<std::size_t>& bounds) {
  std::vector<std::size_t> indices;
  indices.reserve(bounds.size());
  std::size_t index = 0;
  for (const std::size_t bound : bounds) {
    while (all[index] < bound) {
      ++index;
    }
    indices.push_back(index);
  }
  return indices;
}

/// Calls visit(k, overlap) for every interval k = [bounds[k], bounds[k + 1]) that shares something
/// with `range`.
template <class Visit>
void for_each_overlap(std::span<const std::size_t> bounds, const Range& range, Visit visit) {
  const auto after = std::upper_bound(bounds.begin(), bounds.end(), range.begin);
  const auto skipped = static_cast<std::size_t>(after - bounds.begin());
  for (std::size_t k = skipped == 0 ? 0 : skipped - 1;
       k + 1 < bounds.size() && bounds[k] < range.end;
       ++k) {
    const Range overlap{std::max(bounds[k], range.begin), std::min(bounds[k + 1], range.end)};
    if (!overlap.empty()) {
      visit(k, overlap);
    }
  }
}

/// Ascending bounds of the parts of all ranks.
std::vector<std::size_t> part_bounds(const Request& request) {
  std::vector<std::size_t> bounds = parts_of(request).bounds(request.elements);
  ensure(bounds.size() == request.peers + 1 && bounds.back() == request.elements,
         "the parts of all ranks make up the vector",
         bounds.size() - 1,
         request.peers,
         bounds.back(),
         request.elements);
  return bounds;
}

}  // namespace

TorusLayout::TorusLayout(Request request,
                         std::vector<std::size_t> dims,
                         std::vector<TorusColor> colors,
                         const std::vector<double>& weights)
    : request_(std::move(request)), dims_(std::move(dims)), colors_(std::move(colors)) {
  ensure(product(dims_) == request_.peers && weights.size() == colors_.size(),
         "peers fill the torus, every color has a weight",
         product(dims_),
         request_.peers,
         colors_.size(),
         weights.size());
  if (request_.layout == Layout::relaxed) {
    lie_relaxed(weights);
  } else {
    lie_split(weights);
  }
}

void TorusLayout::lie_relaxed(const std::vector<double>& weights) {
  cut_ = Cut::regions(weights, request_.peers);
  if (!has_parts(request_.operation)) {
    return;
  }
  const std::vector<std::size_t> regions = cut_.bounds(request_.elements);
  const std::vector<std::size_t> parts = part_bounds(request_);
  std::vector<std::size_t> all = refined(regions, parts);
  sub_blocks_ = indices_in(all, regions);
  parts_ = indices_in(all, parts);
  cut_ = Cut::at(std::move(all));
}

void TorusLayout::lie_split(const std::vector<double>& weights) {
  const std::size_t colors = colors_.size();
  if (colors == 1) {  // a part is its only piece
    cut_ = has_parts(request_.operation) ? parts_of(request_) : Cut::equal(request_.peers);
    return;
  }
  if (!has_parts(request_.operation)) {
    std::vector<double> pieces;
    pieces.reserve(request_.peers * colors);
    for (std::size_t rank = 0; rank < request_.peers; ++rank) {
      for (const double weight : weights) {
        pieces.push_back(weight / static_cast<double>(request_.peers));
      }
    }
    cut_ = Cut::regions(std::move(pieces), 1);
    return;
  }
  const std::vector<std::size_t> parts = part_bounds(request_);
  const Cut pieces = Cut::regions(weights, 1);
  std::vector<std::size_t> bounds{0};
  bounds.reserve(request_.peers * colors + 1);
  for (std::size_t rank = 0; rank < request_.peers; ++rank) {
    const std::size_t size = parts[rank + 1] - parts[rank];
    parts_.push_back(rank * colors);
    for (std::size_t color = 0; color < colors; ++color) {
      bounds.push_back(parts[rank] + pieces.elements_of_block(color, size).end);
    }
  }
  parts_.push_back(request_.peers * colors);
  cut_ = Cut::at(std::move(bounds));
}

Schedule TorusLayout::blank() const {
  Schedule schedule = make_schedule(request_.peers, request_.rank, 1);
  schedule.cut = cut_;
  schedule.parts = parts_;
  schedule.in_step = true;
  schedule.lanes.resize(colors_.size());
  return schedule;
}

std::vector<Range> TorusLayout::blocks(std::size_t color, const Range& positions) const {
  if (request_.layout == Layout::relaxed) {
    const std::size_t first = color * request_.peers;
    const Range run{first + positions.begin, first + positions.end};
    return {sub_blocks_.empty() ? run : Range{sub_blocks_[run.begin], sub_blocks_[run.end]}};
  }
  std::vector<Range> runs;
  for (std::size_t position = positions.begin; position < positions.end; ++position) {
    const std::size_t rank = rank_at_position(position, colors_[color], dims_);
    const std::size_t block = rank * colors_.size() + color;
    if (!runs.empty() && runs.back().end == block) {
      runs.back().end = block + 1;
    } else {
      runs.push_back({block, block + 1});
    }
  }
  return runs;
}

std::vector<Range> TorusLayout::own_blocks() const {
  std::vector<Range> own;
  for (std::size_t color = 0; color < colors_.size(); ++color) {
    const std::size_t position = position_of(request_.rank, colors_[color], dims_);
    own.push_back(blocks(color, {position, position + 1}).front());
  }
  return own;
}

bool TorusLayout::needs_reordering() const {
  return request_.layout == Layout::relaxed && has_parts(request_.operation) && request_.peers > 1;
}

void TorusLayout::bring_to_parts(Lane& lane, std::size_t color) const {
  if (needs_reordering()) {
    add_round(lane, pieces_of_sub_block(color), pieces_of_part(color));
  }
}

void TorusLayout::bring_from_parts(Lane& lane, std::size_t color) const {
  if (needs_reordering()) {
    add_round(lane, pieces_of_part(color), pieces_of_sub_block(color));
  }
}

std::vector<TorusLayout::Piece> TorusLayout::pieces_of_sub_block(std::size_t color) const {
  const std::size_t position = position_of(request_.rank, colors_[color], dims_);
  const Range mine = blocks(color, {position, position + 1}).front();
  std::vector<Piece> pieces;
  for_each_overlap(parts_, mine, [&](std::size_t rank, const Range& overlap) {
    if (rank != request_.rank) {
      pieces.push_back({rank, overlap});
    }
  });
  return pieces;
}

std::vector<TorusLayout::Piece> TorusLayout::pieces_of_part(std::size_t color) const {
  const Range mine{parts_[request_.rank], parts_[request_.rank + 1]};
  const auto region = std::span(sub_blocks_).subspan(color * request_.peers, request_.peers + 1);
  std::vector<Piece> pieces;
  for_each_overlap(region, mine, [&](std::size_t position, const Range& overlap) {
    const std::size_t rank = rank_at_position(position, colors_[color], dims_);
    if (rank != request_.rank) {
      pieces.push_back({rank, overlap});
    }
  });
  return pieces;
}

void TorusLayout::add_round(Lane& lane,
                            const std::vector<Piece>& sent,
                            const std::vector<Piece>& received) {
  lane.open_round();
  for (const Piece& each : sent) {
    lane.transfer(Action::send, each.rank, {each.blocks});
  }
  for (const Piece& each : received) {
    lane.transfer(Action::copy, each.rank, {each.blocks});
  }
}

}  // namespace starling::collective
