#include "starling/collective/swing.hpp"

#include <utility>
#include <vector>

#include "starling/collective/swing_color.hpp"
#include "starling/collective/torus.hpp"
#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

std::vector<SwingColor> colors_of(const std::vector<std::size_t>& axes, std::size_t wanted) {
  const std::size_t count = wanted == 0 ? most_colors(axes.size()) : wanted;
  std::vector<SwingColor> colors;
  for (const TorusColor& color : torus_colors(axes.size(), count)) {
    colors.emplace_back(axes, color);
  }
  return colors;
}

/// Where in its region the block lies that a rank owns.
std::size_t slot_of(const SwingColor& color, std::size_t rank) {
  return color.has_numbers() ? color.number(rank) : rank;
}

std::size_t rank_at_slot(const SwingColor& color, std::size_t slot) {
  if (!color.has_numbers()) {
    return slot;
  }
  std::size_t rank = 0;
  while (color.number(rank) != slot) {
    ++rank;
  }
  return rank;
}

Range block(std::size_t index) {
  return {index, index + 1};
}

/// The all-gather of a region of which every rank owns the block of its slot.
Lane gather_region(const SwingColor& color, std::size_t rank, std::size_t first_block) {
  if (!color.has_numbers()) {
    return gather_lane(color.far_first(), rank, {first_block, 1});
  }
  Lane lane;
  for (std::size_t size = 1; size < color.peers(); size *= 2) {
    const std::size_t partner = color.peer(rank, color.steps() - 1 - floor_log2(size));
    const auto window = [&](std::size_t owner) {
      const std::size_t begin = first_block + (color.number(owner) & ~(size - 1));
      return Range{begin, begin + size};
    };
    lane.open_round();
    lane.transfer(Action::send, partner, {window(rank)});
    lane.transfer(Action::copy, partner, {window(partner)});
  }
  return lane;
}

/// Blocks of the region go from the ranks whose parts they are to those who own their slots: of the
/// `pieces` blocks of each part.
Lane to_slots(const SwingColor& color,
              std::size_t rank,
              std::size_t first_block,
              std::size_t pieces) {
  ensure(pieces > 0, "every part has a block of every color", pieces);
  Lane lane;
  lane.open_round();
  for (std::size_t index = rank * pieces; index < (rank + 1) * pieces; ++index) {
    if (index < first_block || index >= first_block + color.peers()) {
      continue;
    }
    const std::size_t owner = rank_at_slot(color, index - first_block);
    if (owner != rank) {
      lane.transfer(Action::send, owner, {block(index)});
    }
  }
  const std::size_t mine = first_block + slot_of(color, rank);
  if (mine / pieces != rank) {
    lane.transfer(Action::copy, mine / pieces, {block(mine)});
  }
  return lane;
}

/// The all-gather over all regions.
Schedule gather_regions(const Request& request, const std::vector<SwingColor>& colors) {
  const std::size_t n = colors.front().peers();
  Schedule schedule = schedule_of_regions(request, colors.size(), n);
  for (std::size_t c = 0; c < colors.size(); ++c) {
    schedule.owned.push_back(block(c * n + slot_of(colors[c], request.rank)));
    schedule.lanes[c] = gather_region(colors[c], request.rank, c * n);
  }
  return schedule;
}

/// Like an all-reduce among all but the last rank, which adds its vector to the owners' blocks
/// first. @pre peers > 1
Schedule without_the_last(const Request& request, const std::vector<SwingColor>& colors) {
  const std::size_t last = request.peers - 1;
  const bool is_last = request.rank == last;
  Request inside = request;
  inside.rank = is_last ? 0 : request.rank;
  Schedule gather = gather_regions(inside, colors);
  if (is_last) {
    gather = idle_as(gather, last);
  }
  Schedule handed_in = schedule_of_regions(request, colors.size(), last);
  Schedule handed_back = handed_in;
  handed_in.owned = gather.owned;
  for (std::size_t c = 0; c < colors.size(); ++c) {
    handed_in.lanes[c].open_round();
    handed_back.lanes[c].open_round();
    for (std::size_t owner = 0; owner < last; ++owner) {
      const Range of_owner = block(c * last + slot_of(colors[c], owner));
      if (is_last) {
        handed_in.lanes[c].transfer(Action::send, owner, {of_owner});
        handed_back.lanes[c].transfer(Action::copy, owner, {of_owner});
      } else if (owner == request.rank) {
        handed_in.lanes[c].transfer(Action::add, last, {of_owner});
        handed_back.lanes[c].transfer(Action::send, last, {of_owner});
      }
    }
  }
  return joined(joined(joined(handed_in, reversed(gather)), handed_back), gather);
}

/// The all-gather of parts in pieces, and the round before it that its layout needs.
struct PartsGather {
  Schedule before;
  Schedule gather;
};

PartsGather gather_parts(const Request& request) {
  const std::size_t n = request.peers;
  const auto colors = colors_of(torus_axes(request), request.colors);
  const bool splits = request.layout == Layout::split_blocks;
  const bool in_place = splits || (colors.size() == 1 && !colors.front().has_numbers());
  Schedule gather = schedule_of_parts(request, colors.size());
  gather.lanes.resize(colors.size());
  Schedule before = gather;
  for (std::size_t c = 0; c < colors.size(); ++c) {
    gather.lanes[c] = splits ? gather_lane(colors[c].far_first(), request.rank, {c, colors.size()})
                             : gather_region(colors[c], request.rank, c * n);
    if (!in_place && n > 1) {
      before.lanes[c] = to_slots(colors[c], request.rank, c * n, colors.size());
    }
    const std::size_t owned =
        splits ? request.rank * colors.size() + c : c * n + slot_of(colors[c], request.rank);
    gather.owned.push_back(block(owned));
  }
  before.owned = {gather.part(request.rank)};
  return {std::move(before), std::move(gather)};
}

}  // namespace

Schedule swing_all_reduce(const Request& request) {
  std::vector<std::size_t> axes = torus_axes(request);
  if (axes.size() == 1 && !swing_reaches_all(axes.front())) {
    return without_the_last(request, colors_of({axes.front() - 1}, request.colors));
  }
  const Schedule gather = gather_regions(request, colors_of(axes, request.colors));
  return joined(reversed(gather), gather);
}

Schedule swing_all_gather(const Request& request) {
  PartsGather made = gather_parts(request);
  return joined(std::move(made.before), made.gather);
}

Schedule swing_reduce_scatter(const Request& request) {
  const PartsGather made = gather_parts(request);
  return joined(reversed(made.gather), reversed(made.before, Backwards::copies));
}

std::optional<std::string> swing_objection(const Request& request) {
  const std::vector<std::size_t> axes = torus_axes(request);
  if (auto too_many = swing_colors_objection(axes.size(), request.colors)) {
    return too_many;
  }
  if (request.operation == Operation::all_reduce && axes.size() == 1) {
    return std::nullopt;
  }
  for (const std::size_t extent : axes) {
    if (!swing_reaches_all(extent)) {
      return "its steps do not reach everybody along an axis of " + std::to_string(extent) +
             "; axes of " + std::to_string(extent - 1) + " and " + std::to_string(extent + 1) +
             " would do";
    }
  }
  return std::nullopt;
}

}  // namespace starling::collective
