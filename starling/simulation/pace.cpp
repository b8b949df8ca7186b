#include "starling/simulation/pace.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "starling/core/ensure.hpp"

namespace starling::simulation {

Pace::Pace(double speed, const std::vector<Spell>& spells) {
  ensure(speed > 0, "a host has a positive speed", speed);
  std::set<Time> edges{Time::max()};
  for (const Spell& spell : spells) {
    ensure(spell.factor >= 0, "a spell does not turn time back", spell.factor);
    ensure(spell.factor > 0 || spell.until < Time::max(), "a pause ends");
    edges.insert(spell.from);
    edges.insert(spell.until);
  }
  for (const Time edge : edges) {
    double factor = 1.0;
    for (const Spell& spell : spells) {
      if (spell.from < edge && edge <= spell.until) {
        factor *= spell.factor;
      }
    }
    steps_.push_back({edge, speed * factor});
  }
}

std::vector<Pace::Step>::const_iterator Pace::step_at(Time time) const {
  const auto begins_later = [](Time moment, const Step& step) { return moment < step.until; };
  const auto found = std::upper_bound(steps_.begin(), steps_.end(), time, begins_later);
  return found == steps_.end() ? std::prev(found) : found;
}

Time Pace::finish(Time start, Duration cost) const {
  auto left = static_cast<double>(cost.count());  // nanoseconds at speed 1
  Time now = start;
  for (auto step = step_at(start);; ++step) {
    const double needed = step->speed > 0 ? left / step->speed : HUGE_VAL;
    const auto room = static_cast<double>((step->until - now).count());
    // The last step has no end; later than it can express is as good as never.
    if (needed <= room) {
      return now + Duration(std::llround(needed));
    }
    if (step->until == Time::max()) {
      return Time::max();
    }
    left -= room * step->speed;
    now = step->until;
  }
}

Time Pace::awake(Time time) const {
  auto step = step_at(time);
  while (step->speed <= 0) {
    time = step->until;
    ++step;
  }
  return time;
}

}  // namespace starling::simulation
