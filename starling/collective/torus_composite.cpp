#include "starling/collective/torus_composite.hpp"

#include <cstdint>

#include "starling/core/ensure.hpp"

namespace starling::collective {

namespace {

/// Whether time runs forwards or, in what is reversed afterwards, backwards: then rings are laid
/// out the other way round, so that color c always sends in its direction s(c).
enum class Time : std::uint8_t { forwards, backwards };

Schedule rounds_of(const TorusLayout& layout, TorusRounds rounds, Time time) {
  Schedule schedule = layout.blank();
  for (std::size_t color = 0; color < layout.colors().size(); ++color) {
    const Turn turn = layout.colors()[color].turn;
    rounds(schedule.lanes[color], layout, color, time == Time::forwards ? turn : opposite(turn));
  }
  return schedule;
}

class Composite {
 public:
  Composite(const TorusLayout& layout, const TorusMoves& moves) : layout_(layout), moves_(moves) {}

  [[nodiscard]] Schedule make() const {
    switch (layout_.request().operation) {
      case Operation::all_reduce:
        return joined(reduce_scatter(), all_gather());
      case Operation::reduce:
        return joined(reduce_scatter(), gather());
      case Operation::broadcast:
        return joined(scatter(), all_gather());
      case Operation::reduce_scatter:
        return and_bring_to_parts(reduce_scatter());
      case Operation::scatter:
        return and_bring_to_parts(scatter());
      case Operation::all_gather:
        return bring_from_parts_and(all_gather());
      case Operation::gather:
        return bring_from_parts_and(gather());
      case Operation::barrier:
      case Operation::all_to_all:
        break;
    }
    ensure(false, "no torus schedule", to_string(layout_.request().operation));
    return layout_.blank();
  }

 private:
  const TorusLayout& layout_;
  const TorusMoves& moves_;

  [[nodiscard]] Schedule all_gather() const {
    return rounds_of(layout_, moves_.all_gather, Time::forwards);
  }

  [[nodiscard]] Schedule reduce_scatter() const {
    return reversed(rounds_of(layout_, moves_.all_gather, Time::backwards), Backwards::adds);
  }

  [[nodiscard]] Schedule scatter() const {
    return rounds_of(layout_, moves_.scatter, Time::forwards);
  }

  [[nodiscard]] Schedule gather() const {
    return reversed(rounds_of(layout_, moves_.scatter, Time::backwards), Backwards::copies);
  }

  [[nodiscard]] Schedule and_bring_to_parts(Schedule schedule) const {
    for (std::size_t color = 0; color < schedule.lanes.size(); ++color) {
      layout_.bring_to_parts(schedule.lanes[color], color);
    }
    return schedule;
  }

  [[nodiscard]] Schedule bring_from_parts_and(const Schedule& schedule) const {
    Schedule whole = layout_.blank();
    for (std::size_t color = 0; color < whole.lanes.size(); ++color) {
      layout_.bring_from_parts(whole.lanes[color], color);
      whole.lanes[color].append(schedule.lanes[color]);
    }
    return whole;
  }
};

}  // namespace

Schedule torus_schedule(const TorusLayout& layout, const TorusMoves& moves) {
  Schedule schedule = Composite(layout, moves).make();
  schedule.owned = reduces(layout.request().operation) ? layout.own_blocks()
                                                       : held_blocks(layout.request(), schedule);
  return schedule;
}

}  // namespace starling::collective
