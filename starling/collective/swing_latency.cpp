#include "starling/collective/swing_latency.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "starling/collective/dims.hpp"
#include "starling/collective/fold.hpp"
#include "starling/collective/swing_color.hpp"
#include "starling/collective/torus.hpp"

namespace starling::collective {

namespace {

/// A torus whose axes are folded to powers of two, one after the other.
class FoldedTorus {
 public:
  explicit FoldedTorus(std::vector<std::size_t> dims) : dims_(std::move(dims)) {
    for (const std::size_t extent : dims_) {
      folds_.emplace_back(extent, Fold::Stays::odd);
      core_dims_.push_back(folds_.back().core_size());
    }
  }

  [[nodiscard]] std::size_t axes() const { return dims_.size(); }

  [[nodiscard]] const std::vector<std::size_t>& core_dims() const { return core_dims_; }

  [[nodiscard]] bool folds(std::size_t axis) const { return folds_[axis].extra() > 0; }

  /// What a rank does when an axis is folded: nothing if it has no partner there or sits out
  /// already.
  struct Part {
    bool stays = false;
    std::size_t partner = 0;
  };

  [[nodiscard]] std::optional<Part> part(std::size_t rank, std::size_t axis) const {
    std::vector<std::size_t> at = coordinates(rank, dims_);
    if (!is_in(at, axis) || !folds_[axis].is_paired(at[axis])) {
      return std::nullopt;
    }
    const bool stays = folds_[axis].core_rank(at[axis]).has_value();
    at[axis] = stays ? at[axis] - 1 : at[axis] + 1;
    return Part{stays, rank_at(at, dims_)};
  }

  [[nodiscard]] std::optional<std::size_t> core_rank(std::size_t rank) const {
    std::vector<std::size_t> at = coordinates(rank, dims_);
    if (!is_in(at, axes())) {
      return std::nullopt;
    }
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      at[axis] = *folds_[axis].core_rank(at[axis]);
    }
    return rank_at(at, core_dims_);
  }

  [[nodiscard]] std::size_t member(std::size_t core_rank) const {
    std::vector<std::size_t> at = coordinates(core_rank, core_dims_);
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      at[axis] = folds_[axis].member(at[axis]);
    }
    return rank_at(at, dims_);
  }

 private:
  std::vector<std::size_t> dims_;
  std::vector<std::size_t> core_dims_;
  std::vector<Fold> folds_;

  /// Still takes part when the first `axes` are folded.
  [[nodiscard]] bool is_in(const std::vector<std::size_t>& at, std::size_t axes) const {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      if (!folds_[axis].core_rank(at[axis])) {
        return false;
      }
    }
    return true;
  }
};

/// `in` for those who stay, when the axis is folded; or back again.
void fold_axis(
    Lane& lane, const FoldedTorus& torus, std::size_t rank, std::size_t axis, const Range& region) {
  lane.open_round();
  if (const auto part = torus.part(rank, axis)) {
    lane.transfer(part->stays ? Action::add : Action::send, part->partner, {region});
  }
}

void unfold_axis(
    Lane& lane, const FoldedTorus& torus, std::size_t rank, std::size_t axis, const Range& region) {
  lane.open_round();
  if (const auto part = torus.part(rank, axis)) {
    lane.transfer(part->stays ? Action::send : Action::copy, part->partner, {region});
  }
}

Lane exchange(const FoldedTorus& torus,
              const SwingColor& color,
              std::size_t rank,
              const Range& region) {
  Lane lane;
  for (std::size_t axis = 0; axis < torus.axes(); ++axis) {
    if (torus.folds(axis)) {
      fold_axis(lane, torus, rank, axis, region);
    }
  }
  const auto core = torus.core_rank(rank);
  for (std::size_t step = 0; step < color.steps(); ++step) {
    lane.open_round();
    if (core) {
      const std::size_t partner = torus.member(color.peer(*core, step));
      lane.transfer(Action::send, partner, {region});
      lane.transfer(Action::add, partner, {region});
    }
  }
  for (std::size_t axis = torus.axes(); axis-- > 0;) {
    if (torus.folds(axis)) {
      unfold_axis(lane, torus, rank, axis, region);
    }
  }
  return lane;
}

}  // namespace

Schedule swing_latency_all_reduce(const Request& request) {
  const FoldedTorus torus(torus_axes(request));
  const auto colors =
      torus_colors(torus.axes(), request.colors == 0 ? most_colors(torus.axes()) : request.colors);
  Schedule schedule = make_schedule(request.peers, request.rank, colors.size());
  schedule.lanes.clear();
  if (torus.core_rank(request.rank)) {
    schedule.owned = {{0, colors.size()}};
  }
  for (std::size_t c = 0; c < colors.size(); ++c) {
    const SwingColor color(torus.core_dims(), colors[c]);
    schedule.lanes.push_back(exchange(torus, color, request.rank, {c, c + 1}));
  }
  return schedule;
}

std::optional<std::string> swing_latency_objection(const Request& request) {
  return swing_colors_objection(torus_axes(request).size(), request.colors);
}

}  // namespace starling::collective
